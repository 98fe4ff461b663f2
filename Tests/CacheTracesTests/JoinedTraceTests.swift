import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// Several files as one trace, and archives of files.
@Suite struct JoinedTraceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func keys(_ trace: CompiledTrace) -> [String] {
        trace.columns.ids.map { String(decoding: trace.key(of: $0), as: UTF8.self) }
    }

    private func write(_ files: [(String, String)]) throws -> [String] {
        try files.map { try folder.write($0.0, $0.1.utf8) }
    }

    @Test func `files are one trace in their order, each in a format of its own`() throws {
        let paths = try write([("a.csv", "key,size\na,1\nb,2\n"), ("b.tsv", "size\tid\n3\tc\n1\ta\n")])
        let trace = try folder.store.open(paths: paths)
        #expect(keys(trace) == ["a", "b", "c", "a"])
        #expect(trace.bytesRequested == 7)
        #expect(trace.formatDescription == "csv:key=key,size=size,header=true + tsv:key=id,size=size,header=true")
        #expect(trace.sourceDigest.hasPrefix("sha256:"))
        let back = try folder.store.open(paths: paths.reversed())
        #expect(keys(back) == ["c", "a", "a", "b"])
        #expect(back.digest != trace.digest)
    }

    @Test func `a joined trace is compiled once, and again when one file changes`() throws {
        let paths = try write([("a.txt", "1\n"), ("b.txt", "2\n")])
        let first = try folder.store.open(paths: paths)
        #expect(try folder.store.open(paths: paths).path == first.path)
        #expect(FileTree.names(in: folder.path + "/store").filter { $0.hasSuffix(".trace") }.count == 1)
        _ = try write([("b.txt", "3\n")])
        #expect(try keys(folder.store.open(paths: paths)) == ["1", "3"])
    }

    @Test func `one file of several is the file alone`() throws {
        let paths = try write([("a.txt", "1\n2\n")])
        #expect(try folder.store.open(paths: paths).digest == folder.store.open(path: paths[0]).digest)
        #expect(try folder.store.open(path: paths[0]).sourceDigest.hasPrefix("xxh128:"))
    }

    /// Two files of which one states what the other does not, and what that is.
    static let unlike: [(first: String, second: String, attribute: String)] = [
        ("key,size\na,1\n", "key\na\n", "size"), ("key\na\n", "key,size\na,1\n", "size"),
        ("key,time\na,1\n", "key\na\n", "time"), ("key,op\na,get\n", "key\na\n", "operation"),
        ("key,cost\na,1\n", "key\na\n", "cost"), ("key,tenant\na,1\n", "key\na\n", "tenant"),
    ]

    @Test(arguments: unlike) func `files that do not state the same are refused with their names`(
        _ content: (first: String, second: String, attribute: String)
    ) throws {
        let paths = try write([("a.csv", content.first), ("b.csv", content.second)])
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(paths: paths) }
        #expect(error?.code == .badInput)
        #expect(error?.message.contains("states a \(content.attribute) for each request") == true)
        #expect(paths.allSatisfy { error?.message.contains("'\($0)'") == true })
    }

    @Test func `a file without requests is told, and files may state times to live here and there`() throws {
        let paths = try write([("a.csv", "key,ttl\na,5\n"), ("b.lirs", "*\n"), ("c.csv", "key,ttl\nb,-1\n")])
        let trace = try folder.store.open(paths: paths)
        #expect(keys(trace) == ["a", "b"])
        #expect(trace.notes == ["\(paths[1]) has no requests."])
    }

    @Test func `bad rows are counted over all files with the file of the first`() throws {
        let paths = try write([("a.csv", "k,1\nj,x\n"), ("b.csv", "k,y\nj,2\n")])
        var store = folder.store
        store.badRows = BadRows(skippedMax: 2)
        let trace = try store.open(paths: paths, format: "csv:key=1,size=2")
        #expect(trace.requests == 2)
        #expect(trace.notes.first?.hasPrefix("2 bad rows were skipped: 2 (first at a.csv:2: ") == true)
        store.badRows = BadRows(skippedMax: 1)
        let error = assayError { () throws(AssayError) in _ = try store.open(paths: paths, format: "csv:key=1,size=2") }
        #expect(error?.location == AssayError.Location(paths[1], line: 1))
    }

    @Test func `standard input is named once`() {
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(paths: ["-", "-"]) }
        #expect(error?.code == .usage)
    }

    // MARK: - Archives

    private typealias Tar = TarBuilder

    private func openedTar(_ bytes: [UInt8], _ name: String = "x.tar") throws -> (CompiledTrace?, AssayError?) {
        let path = try folder.write(name, bytes)
        var trace: CompiledTrace?
        let error = assayError { () throws(AssayError) in trace = try folder.store.open(path: path) }
        return (trace, error)
    }

    @Test func `members are one trace, whatever else the archive holds`() throws {
        var tar = Tar()
        tar.add("logs/", "", kind: "5")
        tar.add("logs/a.csv", "key,size\na,1\n")
        tar.add("logs/link", "", kind: "2")
        tar.add("logs/._a.csv", "metadata")
        tar.add("logs/empty.csv", "")
        tar.add("logs/b.csv", "id;size\nb;2\n", prefix: "deep/folder")
        let (trace, error) = try openedTar(tar.finished)
        #expect(error == nil)
        #expect(trace.map(keys) == ["a", "b"])
        #expect(
            trace?.notes == [
                "\(folder.path)/x.tar:logs/empty.csv has no requests.",
                "Members of the archive that are no regular files were passed over: 1 (link), "
                    + "1 (file of another system's metadata).",
            ])
    }

    @Test func `long names and sizes of pax and GNU are read`() throws {
        let long = String(repeating: "n", count: 300) + ".csv"
        var tar = Tar()
        tar.add("././@LongLink", long + "\0", kind: "L")
        tar.add("cut.bin", "key\na\n")
        let record = "path=\(long)\n"
        let length = record.utf8.count + 4
        tar.add("PaxHeaders/x", "\(length) \(record)", kind: "x")
        tar.add("cut.bin", "key\nb\n")
        tar.add("g", "18 comment=global\n", kind: "g")
        tar.add("c.csv", "key\nc\n")
        let (trace, error) = try openedTar(tar.finished)
        #expect(error == nil, "\(String(describing: error))")
        #expect(trace.map(keys) == ["a", "b", "c"])
    }

    @Test func `compressed members and compressed archives are read`() throws {
        var tar = Tar()
        for file in PackedFile.all { tar.add("x.txt.\(file.ending)", file.bytes) }
        let (trace, error) = try openedTar(tar.finished)
        #expect(error == nil, "\(String(describing: error))")
        #expect((trace?.requests ?? 0) > PackedFile.all.count)
    }

    @Test func `an error in a member names it and its line`() throws {
        var tar = Tar()
        tar.add("a.csv", "key,size\na,1\n")
        tar.add("b.csv", "key,size\na,1\nb,x\n")
        let (_, error) = try openedTar(tar.finished)
        #expect(error?.location == AssayError.Location("\(folder.path)/x.tar:b.csv", line: 3))
    }

    /// An archive that is damaged, and a part of what is said.
    static let damaged: [(name: String, damage: @Sendable (inout [UInt8]) -> Void, message: String)] = [
        ("cut in a member", { $0.removeSubrange(520...) }, "cut short"),
        ("cut in a header", { $0.removeSubrange(1100...) }, "cut short"),
        ("a header that is none", { $0[1024] ^= 1 }, "no sound header"),
    ]

    @Test(arguments: damaged) func `a damaged archive is refused`(
        _ content: (name: String, damage: @Sendable (inout [UInt8]) -> Void, message: String)
    ) throws {
        var tar = Tar()
        tar.add("a.csv", "key,size\na,1\n")
        tar.add("b.csv", "key,size\na,1\n")
        var bytes = tar.finished
        content.damage(&bytes)
        let (_, error) = try openedTar(bytes)
        #expect(error?.code == .badInput)
        #expect(error?.message.contains(content.message) == true, "\(String(describing: error))")
    }

    @Test func `sizes beyond any file, sparse members and endless names are refused`() throws {
        var large = Tar()
        large.add("PaxHeaders/x", "29 size=99999999999999999999\n", kind: "x")
        large.add("a.csv", "key\na\n")
        #expect(try openedTar(large.finished).1?.code == .badInput)
        var sparse = Tar()
        sparse.add("a.csv", "key\na\n", kind: "S")
        #expect(try openedTar(sparse.finished).1?.message.contains("holes") == true)
        var name = Tar()
        name.add("././@LongLink", [UInt8](repeating: 0x61, count: 2 << 20), kind: "L")
        #expect(try openedTar(name.finished).1?.message.contains("more than 1048576") == true)
    }

    @Test func `what follows an archive's end is told, and an archive without files is`() throws {
        var tar = Tar()
        tar.add("a.csv", "key\na\n")
        #expect(
            try openedTar(tar.finished + [1]).0?.notes == [
                "What follows the end of the archive is ignored, as tar does."
            ])
        var empty = Tar()
        empty.add("logs/", "", kind: "5")
        #expect(try openedTar(empty.finished).0?.notes == ["The archive has no files."])
    }
}

/// Writes a tar archive (POSIX ustar).
struct TarBuilder {
    private var bytes: [UInt8] = []

    mutating func add(_ name: String, _ content: String, kind: Character = "0", prefix: String = "") {
        add(name, Array(content.utf8), kind: kind, prefix: prefix)
    }

    mutating func add(_ name: String, _ content: [UInt8], kind: Character = "0", prefix: String = "") {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
        }
        let octal = String(content.count, radix: 8)
        put(name, at: 0)
        put("0000644", at: 100)
        put(String(repeating: "0", count: 11 - octal.count) + octal, at: 124)
        put("        ", at: 148)
        put(String(kind), at: 156)
        put("ustar\0" + "00", at: 257)
        put(prefix, at: 345)
        let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
        put(String(repeating: "0", count: 6 - sum.count) + sum + "\0", at: 148)
        bytes += header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    /// The archive with its end.
    var finished: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }
}
