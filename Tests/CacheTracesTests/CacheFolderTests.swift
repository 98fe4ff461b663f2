import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct CacheFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func everything(in path: String) -> [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).map { path + "/" + $0 }
    }

    @Test func `keys of a private trace lie in folders and files that nobody else can read`() throws {
        let path = try folder.write("x.txt", Array("secret\n".utf8))
        _ = try folder.store.open(path: path)
        let store = folder.path + "/store"
        for path in [store] + everything(in: store) {
            #expect(try mode(path) == (FileTree.isFolder(path) ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test func `what an earlier version left open to others is tightened`() throws {
        let path = try folder.write("x.txt", Array("secret\n".utf8))
        _ = try folder.store.open(path: path)
        let store = folder.path + "/store"
        for path in [store] + everything(in: store) { chmod(path, FileTree.isFolder(path) ? 0o755 : 0o644) }
        _ = try folder.store.open(path: path)
        for path in [store] + everything(in: store) {
            #expect(try mode(path) == (FileTree.isFolder(path) ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test func `a named folder that holds other things keeps its rights, and so do those`() throws {
        let other = try folder.write("other.txt", Array("1\n".utf8))
        for path in [folder.path, other] { chmod(path, path == other ? 0o644 : 0o755) }
        let store = TraceStore(directory: folder.path)
        let trace = try store.open(path: other)
        _ = try store.open(path: other)
        #expect(try mode(folder.path) == 0o755)
        #expect(try mode(other) == 0o644)
        #expect(try mode(trace.path) == 0o600)
    }

    private func chosen(_ variables: [String: String]) -> CacheFolder {
        CacheFolder { (variables.merging(["TMPDIR": folder.path]) { given, _ in given })[$0] }
    }

    @Test func `the user's cache is taken where it can be written to`() throws {
        let home = chosen(["HOME": folder.path])
        #expect(home.path == folder.path + "/.cache/assay/traces")
        #expect(home.fallbackReason == nil)
        let cache = chosen(["HOME": "/nonexistent", "XDG_CACHE_HOME": folder.path + "/new/cache"])
        #expect(cache.path == folder.path + "/new/cache/assay/traces")
        #expect(cache.fallbackReason == nil)
        #expect(chosen(["HOME": folder.path, "XDG_CACHE_HOME": "relative"]).path == home.path)
    }

    @Test func `an absent, foreign or unwritable home falls back to the temporary folder and says why`() throws {
        let file = try folder.write("file", [1])
        var cases = [[:], ["HOME": "/nonexistent"], ["HOME": file], ["XDG_CACHE_HOME": file + "/cache"]]
        let locked = folder.path + "/locked"
        try FileManager.default.createDirectory(
            atPath: locked, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
        // The superuser writes wherever the file system lets anybody.
        if geteuid() != 0 { cases += [["HOME": locked], ["XDG_CACHE_HOME": locked + "/cache"]] }
        for variables in cases {
            let chosen = chosen(variables)
            #expect(chosen.path == folder.path + "/assay-\(FileTree.userID)/traces", "\(variables)")
            #expect(chosen.fallbackReason?.contains(variables.values.first ?? "neither") == true)
            try chosen.prepare()
            #expect(try mode(folder.path + "/assay-\(FileTree.userID)") == 0o700)
            #expect(try mode(chosen.path) == 0o700)
        }
    }

    @Test func `a temporary folder that somebody else made is refused`() throws {
        let trap = folder.path + "/assay-\(FileTree.userID)"
        let elsewhere = folder.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: trap, withDestinationPath: elsewhere)
        let error = assayError { () throws(AssayError) in try chosen([:]).prepare() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("--compiled-traces") == true)
        #expect(everything(in: elsewhere) == [])
        // Another owner can be made by the superuser alone.
        guard geteuid() == 0 else { return }
        try FileManager.default.removeItem(atPath: trap)
        try FileManager.default.createDirectory(atPath: trap, withIntermediateDirectories: false)
        chown(trap, 12_345, 12_345)
        #expect(assayError { () throws(AssayError) in try chosen([:]).prepare() }?.code == .unavailable)
    }
}
