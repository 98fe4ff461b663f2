import CacheCore
import CacheTraces
import Foundation
import Testing

@testable import CacheWorkloads

@Suite final class TraceLocatorTests {
    private let folder: String
    private let store: TraceStore
    private let locator: TraceLocator

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/more", withIntermediateDirectories: true)
        store = TraceStore(directory: folder + "/store")
        locator = TraceLocator(catalog: WorkloadCatalog(directories: [folder, folder + "/more", folder + "/absent"]))
        try write(
            "small.yaml",
            "kind: generated\ndescription: d\norigin: o\nlicence: l\ngenerator: loop\nrequests: 9\nobjects: 3\n")
        try write(
            "kept.yaml",
            "kind: recorded\ndescription: d\norigin: o\nlicence: l\nfile: kept.lirs\nformat: lirs\nhow-recorded: h\n"
                + "sha256: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n")
        try write("kept.lirs", "abc")
        try write("plain.txt", "1\n2\n")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }

    private func failure(_ name: String, format: String? = nil) -> AssayError? {
        do throws(AssayError) {
            _ = try locator.open(name, format: format, store: store)
            return nil
        } catch { return error }
    }

    @Test func namesAndPathsAreToldApart() throws {
        let named = try locator.open("small", store: store)
        #expect((named.name, named.trace.requests, named.workload?.name) == ("small", 9, "small"))
        let byPath = try locator.open(folder + "/small.yaml", store: store)
        #expect(byPath.trace.digest == named.trace.digest)
        let file = try locator.open(folder + "/plain.txt", store: store)
        #expect((file.trace.requests, file.workload?.name) == (2, nil))
        #expect(file.name == folder + "/plain.txt")
        #expect(try locator.open(folder + "/plain.txt", format: "lirs", store: store).trace.formatDescription == "lirs")
    }

    @Test func whatDrivesASystemIsNoTrace() throws {
        try write("app.yaml", "kind: system\ndescription: d\norigin: o\nlicence: l\nsystem: call-cache\nrequests: 5\n")
        let error = failure("app")
        #expect(error?.code == .usage && error?.message.contains("assay run --system app") == true)
        // Nor is it offered as one.
        #expect(failure("ap")?.message.contains("There are kept, small.") == true)
        #expect(try WorkloadCatalog(directories: [folder]).systemWorkloads().map(\.name) == ["app"])
        #expect(try WorkloadCatalog(directories: [folder]).systemWorkloads(of: "http-cache").isEmpty)
    }

    @Test func unknownNameSuggestsTheNearest() {
        let error = failure("smal")
        #expect(error?.code == .usage)
        #expect(error?.message.contains("Did you mean 'small'?") == true)
        #expect(error?.message.contains("kept, small") == true)
        #expect(failure(folder + "/absent.txt")?.code == .inputOutput)
    }

    @Test func workloadTakesNoFormat() {
        #expect(failure("small", format: "lirs")?.code == .usage)
    }

    @Test func checksumIsVerifiedBeforeAnythingIsRead() throws {
        // The digest is that of 'abc', which is no LIRS trace: the checksum passes and the format complains.
        let malformed = failure("kept")
        #expect(malformed?.location == AssayError.Location(folder + "/kept.lirs", line: 1))
        try write("kept.lirs", "1\n2\n")
        let changed = failure("kept")
        #expect(changed?.code == .badInput)
        #expect(changed?.location == AssayError.Location(folder + "/kept.lirs"))
        #expect(changed?.message.contains("SHA-256") == true)
    }

    @Test func unknownFormatIsTheWorkloadsFault() throws {
        let text = try String(contentsOfFile: folder + "/kept.yaml", encoding: .utf8)
        try write("misnamed.yaml", text.replacing("format: lirs", with: "format: lirss"))
        let error = failure("misnamed")
        #expect(error?.location == AssayError.Location(folder + "/misnamed.yaml"))
        #expect(error?.message.contains("Did you mean 'lirs'?") == true)
    }

    @Test func firstFolderWins() throws {
        try write(
            "more/small.yaml",
            "kind: generated\ndescription: d\norigin: o\nlicence: l\ngenerator: loop\nrequests: 5\nobjects: 3\n")
        let catalog = WorkloadCatalog(directories: [folder + "/more", folder])
        #expect(catalog.names == ["kept", "small"])
        #expect(try TraceLocator(catalog: catalog).open("small", store: store).trace.requests == 5)
    }
}
