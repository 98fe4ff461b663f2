import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

/// Files of every format, written from its public layout, with what is read of them, and malformed twins with what is said of
/// them: `Tests/formats/FORMAT/`.
///
/// `x.records` lists what is read of `x`, and `x.message` what is said of it where it is malformed. `x.format` holds the format
/// as on the command line where nothing in the file tells it. `ASSAY_UPDATE_GOLDEN=1` writes what is missing or different.
struct FormatFixture: CustomTestStringConvertible {
    let format: String
    let path: String
    var isMalformed: Bool { name.hasPrefix("bad") }
    var name: String { String(path.split(separator: "/").last ?? "") }
    var testDescription: String { "\(format)/\(name)" }

    /// The format to name, nil if it is to be recognised.
    var named: String? {
        (try? String(contentsOfFile: path + ".format", encoding: .utf8))?.trimmingCharacters(
            in: .whitespacesAndNewlines)
    }

    static let folder = SharedFolder.packageRoot.appending(path: "Tests/formats").path

    static let all: [FormatFixture] = {
        let files = FileManager.default
        let formats = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        return formats.flatMap { format in
            let names = ((try? files.contentsOfDirectory(atPath: "\(folder)/\(format)")) ?? []).sorted()
            return names.filter { name in ![".records", ".message", ".format"].contains { name.hasSuffix($0) } }
                .map { FormatFixture(format: format, path: "\(folder)/\(format)/\($0)") }
        }
    }()

    /// Compares a text with the golden file of this fixture.
    func expect(_ text: String, _ ending: String) throws {
        let golden = try? String(contentsOfFile: path + ending, encoding: .utf8)
        if golden != text, ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil {
            try text.write(toFile: path + ending, atomically: true, encoding: .utf8)
        }
        #expect(golden == text, "\(testDescription)\(ending) says something else; ASSAY_UPDATE_GOLDEN=1 writes it anew")
    }
}

@Suite struct FormatFixtureTests {
    @Test func `every format has a fixture and a malformed twin`() {
        let formats = BuiltinTraceFormats.all.map(\.descriptor.name)
        let good = Set(FormatFixture.all.filter { !$0.isMalformed }.map(\.format))
        let bad = Set(FormatFixture.all.filter(\.isMalformed).map(\.format))
        #expect(formats.filter { !good.contains($0) } == [], "add Tests/formats/FORMAT/NAME")
        #expect(formats.filter { !bad.contains($0) } == [], "add Tests/formats/FORMAT/bad-NAME")
        #expect(good.union(bad).subtracting(formats) == [], "no such format")
    }

    @Test(arguments: FormatFixture.all.filter { !$0.isMalformed })
    func `a file is recognised and read to its records`(_ fixture: FormatFixture) throws {
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(path: fixture.path, format: fixture.named)
        #expect(trace.formatDescription.prefix { $0 != ":" } == fixture.format)
        try fixture.expect(Self.listing(trace), ".records")
    }

    @Test(arguments: FormatFixture.all.filter(\.isMalformed))
    func `a malformed file is refused with its place and what is wrong`(_ fixture: FormatFixture) throws {
        let folder = try TemporaryFolder()
        let error = assayError { () throws(AssayError) in
            _ = try folder.store.open(path: fixture.path, format: fixture.named ?? fixture.format)
        }
        #expect(error?.code == .badInput)
        let place = error?.location.map {
            "\($0.line.map { "line \($0)" } ?? $0.offsetBytes.map { "byte \($0)" } ?? "file")"
        }
        try fixture.expect("\(place ?? "nowhere"): \(error?.message ?? "no error")\n", ".message")
    }

    /// Every request with everything that the trace says of it, and what is told of the file.
    private static func listing(_ trace: CompiledTrace) -> String {
        let columns = trace.columns
        let tenants = trace.tenantNames
        var lines = (0..<trace.requests).map { position in
            let request = columns.request(at: position)
            var line = String(decoding: trace.key(of: request.id), as: UTF8.self)
            if trace.hasSizes { line += " size=\(request.size)" }
            if let times = trace.timesNanoseconds { line += " time=\(times[position])" }
            if columns.timesToLive != nil { line += " ttl=\(request.timeToLiveNanoseconds)" }
            if columns.costs != nil { line += " cost=\(request.cost)" }
            if columns.operations != nil { line += " op=\(columns.operation(at: position))" }
            if let column = columns.tenants { line += " tenant=\(tenants[Int(column[position])])" }
            return line
        }
        lines += trace.notes.map { "note: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
