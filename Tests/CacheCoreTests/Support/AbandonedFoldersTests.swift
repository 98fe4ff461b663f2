import Foundation
import Testing
import _CacheTestSupport

@testable import CacheCore

@Suite("AbandonedFolders: what a killed process leaves is cleared, what a living one uses is not")
struct AbandonedFoldersTests {
    private let base: TemporaryDirectory

    init() throws { base = try TemporaryDirectory() }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// A folder as a killed process leaves it: with a lock file that nobody holds.
    private func abandon(_ name: String) throws -> String {
        let path = "\(base.path)/\(name)"
        try FileManager.default.createDirectory(atPath: path + "/deep", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: path + "/deep/file"))
        try Data().write(to: URL(filePath: path + ".lock"))
        return path
    }

    @Test func `a folder is for its owner alone, and goes with all that is in it`() throws {
        let held = try AbandonedFolders.hold("assay-a-", in: base.path)
        let mode = try FileManager.default.attributesOfItem(atPath: held.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try Data([1]).write(to: URL(filePath: held.path + "/file"))
        held.remove()
        held.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
    }

    @Test func `only folders of the prefix that nobody holds are cleared`() throws {
        let held = try AbandonedFolders.hold("assay-a-", in: base.path)
        let left = try abandon("assay-a-left")
        let other = try abandon("assay-b-left")
        let unlocked = "\(base.path)/assay-a-unlocked"
        try FileManager.default.createDirectory(atPath: unlocked, withIntermediateDirectories: false)
        #expect(AbandonedFolders.clear("assay-a-", in: base.path) == [left])
        #expect(!exists(left) && !exists(left + ".lock"))
        #expect(exists(held.path) && exists(other) && exists(unlocked))
        held.remove()
    }

    @Test func `links in the place of a lock or a folder are not followed`() throws {
        let victim = "\(base.path)/victim"
        try FileManager.default.createDirectory(atPath: victim, withIntermediateDirectories: false)
        try Data([1]).write(to: URL(filePath: victim + "/file"))
        let (a, b) = (try abandon("assay-a-1"), try abandon("assay-a-2"))
        try FileManager.default.removeItem(atPath: a)
        try FileManager.default.createSymbolicLink(atPath: a, withDestinationPath: victim)
        try FileManager.default.removeItem(atPath: b + ".lock")
        try FileManager.default.createSymbolicLink(atPath: b + ".lock", withDestinationPath: victim + "/file")
        try FileManager.default.createSymbolicLink(
            atPath: "\(try abandon("assay-a-3"))/deep/link", withDestinationPath: victim)
        #expect(AbandonedFolders.clear("assay-a-", in: base.path) == ["\(base.path)/assay-a-3"])
        #expect(exists(victim + "/file") && exists(b))
    }

    @Test func `a folder that cannot be made is an error with its remedy`() {
        #expect(throws: StoreError.self) { try AbandonedFolders.hold("assay-a-", in: base.path + "/missing") }
    }

    #if os(Linux)
        @Test func `a file that cannot be locked is removed, and the error number is told`() throws {
            let path = "\(base.path)/assay-a-1.lock"
            try Data().write(to: URL(filePath: path))
            // O_PATH, which the overlay does not have: such a descriptor can be locked by nobody.
            let descriptor = open(path, 0o10_000_000 | O_CLOEXEC)
            let error = #expect(throws: StoreError.self) {
                try AbandonedFolders.isLocked(descriptor, FileSystem.characters(path))
            }
            #expect(error?.errno == EBADF && !exists(path))
        }
    #endif
}
