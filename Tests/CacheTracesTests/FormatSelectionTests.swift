import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

@Suite struct FormatSelectionTests {
    @Test(arguments: [
        ("OLTP.lis", "arc"), ("a/b/OLTP.lis.zst", "arc"), ("x.oracleGeneral", "oracle-general"),
        ("x.oracleGeneral.bin.zst", "oracle-general"), ("x.csv.xz", "csv"), ("x.TSV", "tsv"), ("loop.trace.gz", "lirs"),
        ("loop.trc", "lirs"), ("keys.txt.bz2", "plain"), ("x.adaptsize", "adapt-size"), ("x.address.gz", "address"),
    ])
    func endingsTellFormats(path: String, format: String) throws {
        let selected = try TraceFormatSelection(forFile: path)
        #expect(selected.entry.descriptor.name == format)
        #expect(selected.origin == .ending)
    }

    @Test(arguments: ["corda-vault.gz", "noending", "x.gz", "folder.csv/x"])
    func otherNamesListTheFormats(path: String) {
        let error = assayError { () throws(AssayError) in _ = try TraceFormatSelection(forFile: path) }
        #expect(error?.code == .usage)
        for entry in BuiltinTraceFormats.all { #expect(error?.message.contains(entry.descriptor.name) == true) }
    }

    @Test func unknownNameSuggestsTheNearest() {
        let error = assayError { () throws(AssayError) in _ = try TraceFormatSelection(parsing: "oracle-genral") }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("Did you mean 'oracle-general'?") == true)
    }

    @Test func namesAliasesAndEndingsAreUnique() {
        let descriptors = BuiltinTraceFormats.all.map(\.descriptor)
        let names = descriptors.flatMap { [$0.name] + $0.aliases }
        let endings = descriptors.flatMap(\.fileExtensions)
        #expect(Set(names).count == names.count)
        #expect(Set(endings).count == endings.count)
        #expect((names + endings).allSatisfy { $0 == $0.lowercased() })
        #expect(descriptors.map(\.name) == descriptors.map(\.name).sorted())
    }

    @Test func everyFormatFileIsRegistered() throws {
        let folder = SharedFolder.packageRoot.appending(path: "Sources/CacheTraces/Formats").path
        let ending = "TraceFormat.swift"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(ending) }
        let names = BuiltinTraceFormats.all.map { $0.descriptor.name.replacing("-", with: "") }
        #expect(files.map { $0.dropLast(ending.count).lowercased() }.sorted() == names.sorted())
    }

    @Test func wrongGuessIsExplained() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.trace", Array("block 17\n".utf8))
        let guessed = assayError { () throws(AssayError) in _ = try folder.store.open(path: path) }
        #expect(guessed?.code == .badInput)
        #expect(guessed?.location == AssayError.Location(path, line: 1))
        #expect(guessed?.message.contains("'lirs'; --format names another") == true)
        let named = assayError { () throws(AssayError) in _ = try folder.store.open(path: path, format: "lirs") }
        #expect(named?.message.contains("--format") == false)
    }

    @Test func descriptionCanBeWrittenAgain() throws {
        let text = "csv:key=2,size=3,header=true,delimiter=tab"
        let selected = try TraceFormatSelection(parsing: text)
        #expect(selected.description == text)
        #expect(try TraceFormatSelection(parsing: selected.description).parameters == selected.parameters)
    }
}
