import CacheCore
import CacheGate
import CacheHistory
import Foundation
import Testing
import _CacheTestSupport

@Suite("Commits of a git repository")
struct GitRepositoryTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "git", "-C", directory.path, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c",
                "commit.gpgSign=false",
            ]
            + arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test func `commits have their digest, time and title, and their place in the order of ancestors`() throws {
        try git("init", "-q")
        for title in ["first", "second", "third"] { try git("commit", "-q", "--allow-empty", "-m", title) }
        let repository = try GitRepository(at: directory.path)
        let commits = try ["HEAD~2", "HEAD~1", "HEAD"].map { try repository.commit($0) }
        #expect(commits.map(\.title) == ["first", "second", "third"])
        #expect(commits.allSatisfy { $0.digest.count == 40 && $0.time > 1_000_000_000 })
        let stranger = String(repeating: "1", count: 40)
        let places = try repository.places(of: [commits[2].digest, stranger, commits[0].digest])
        #expect(places == [commits[0].digest: 0, commits[2].digest: 2])
        #expect(try repository.places(of: [stranger]) == [:] && repository.places(of: []) == [:])
    }

    @Test func `a changed tracked file is noticed, an untracked one is no change`() throws {
        try git("init", "-q")
        let file = URL(filePath: directory.path).appending(path: "file")
        try Data("1".utf8).write(to: file)
        try git("add", "file")
        try git("commit", "-q", "-m", "file")
        let repository = try GitRepository(at: directory.path)
        try Data("x".utf8).write(to: URL(filePath: directory.path).appending(path: "other"))
        #expect(try !repository.hasUncommittedChanges())
        try Data("22".utf8).write(to: file)
        #expect(try repository.hasUncommittedChanges())
    }

    @Test func `no repository, an unknown name and one like an option are typed errors`() throws {
        #expect(#expect(throws: AssayError.self) { try GitRepository(at: directory.path) }?.code == .unavailable)
        try git("init", "-q")
        let repository = try GitRepository(at: directory.path)
        for name in ["HEAD", "nowhere", "--output=stolen"] {
            #expect(#expect(throws: AssayError.self) { try repository.commit(name) }?.code == .unavailable)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/stolen"))
    }
}
