import CacheCore
import CacheReports
import Foundation
import Testing

@Suite("Built-in reports")
struct BuiltinReportsTests {
    @Test("Every report is written whole, over what was there, and nothing else is left")
    func write() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-reports-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let nested = directory.appending(path: "a/b").path
        let results = SmallResults.make()
        try BuiltinReports.write(SampleResults.make(), to: nested)
        let paths = try BuiltinReports.write(results, to: nested)
        let names = ["results.json", "results.csv", "report.html"]
        #expect(paths.map { URL(filePath: $0).lastPathComponent } == names)
        #expect(try FileManager.default.contentsOfDirectory(atPath: nested).sorted() == names.sorted())
        #expect(try JSONReport.read(from: paths[0]) as? RunResults == results)
        #expect(try String(contentsOfFile: paths[1], encoding: .utf8) == CSVReport.render(results))
    }

    @Test("A report that cannot be rendered keeps no other from being written, and its file is named")
    func failing() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-reports-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let mine = [
            ReportEntry("broken.txt", "Broken.") { (_) throws(AssayError) in throw AssayError(.badInput, "no cells") },
            ReportEntry("mine.txt", "Mine.") { "\($0.cells.count) cells" },
        ]
        let results = SmallResults.make()
        let error = #expect(throws: AssayError.self) {
            try BuiltinReports.write(results, to: directory.path, reports: BuiltinReports.all + mine)
        }
        #expect(error?.code == .badInput && error?.location?.source == "broken.txt")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.sorted() == (BuiltinReports.fileNames + ["mine.txt"]).sorted())
        let text = try String(contentsOf: directory.appending(path: "mine.txt"), encoding: .utf8)
        #expect(text == "\(results.cells.count) cells")
    }

    @Test("A directory that cannot be made is an input/output error that names it")
    func unwritable() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "assay-file-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let inside = file.appending(path: "reports").path
        let error = #expect(throws: AssayError.self) { try BuiltinReports.write(SmallResults.make(), to: inside) }
        #expect(error?.code == .inputOutput)
        #expect(error?.location?.source == inside)
    }

    /// `--json /dev/full`, run by root, put a file in the place of the device.
    @Test("A report takes the place of no link and no device")
    func links() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-links-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func link(_ name: String, to target: String) throws -> String {
            let path = directory.appending(path: name).path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            return path
        }
        let dangling = try link("link.json", to: "second.json")
        _ = try link("second.json", to: "target.json")
        for text in ["one", "two"] {
            try ReportFile.write(text, to: dangling)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: dangling) == "second.json")
            #expect(try String(contentsOf: directory.appending(path: "target.json"), encoding: .utf8) == text)
        }
        // `..` is what the system takes it for, and not the folder before it in the text.
        try FileManager.default.createDirectory(
            at: directory.appending(path: "deep/folder"), withIntermediateDirectories: true)
        let folder = try link("folder", to: "deep/folder")
        _ = try link("folder/up.json", to: "../up.json")
        try ReportFile.write("three", to: "\(folder)/up.json")
        #expect(try String(contentsOf: directory.appending(path: "deep/up.json"), encoding: .utf8) == "three")
        let cycle = try link("cycle.json", to: "cycle.json")
        #expect(throws: AssayError.self) { try ReportFile.write("four", to: cycle) }
        #expect(ReportFile.isFile(cycle) == false)

        let pipe = directory.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDWR)
        defer { close(reader) }
        try ReportFile.write("five", to: pipe)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 4 && bytes.prefix(4).elementsEqual("five".utf8))
        #expect(ReportFile.isFile(pipe) == false)
        #if os(Linux)
            let full = try link("full.json", to: "/dev/full")
            #expect(throws: AssayError.self) { try ReportFile.write("six", to: full) }
            #expect(ReportFile.isFile(full) == false)
        #endif
        #expect(throws: AssayError.self) { try ReportFile.check("\(directory.path)/missing/x.json") }
        #expect(throws: AssayError.self) { try ReportFile.check(directory.path) }
        try ReportFile.check("\(directory.path)/x.json")
    }

    @Test("File names and sentences of the registry are distinct and complete")
    func registry() {
        let names = BuiltinReports.all.map(\.fileName)
        #expect(Set(names).count == names.count)
        #expect(BuiltinReports.all.allSatisfy { $0.summary.hasSuffix(".") })
    }
}
