import CacheCore
import Foundation
import Synchronization
import Testing

@testable import CacheTraces

@Suite struct TraceStoreTests {
    private static let text = (0..<3000).map { "\($0 % 700),\($0 % 90 + 1)\n" }.joined()
    private static let format = "csv:key=1,size=2"

    private func compiledFiles(_ folder: TemporaryFolder) -> [String] {
        FileTree.names(in: folder.path + "/store").filter { $0.hasSuffix(".trace") }
    }

    @Test func anyDamageToACompiledFileIsMended() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array(Self.text.utf8))
        let sound = try folder.store.open(path: path, format: Self.format)
        let ids = Array(sound.columns.ids)
        let original = try Data(contentsOf: URL(filePath: sound.path))
        #expect(compiledFiles(folder).count == 1)
        var damaged: [Data] = [
            Data(), original.prefix(100), original.dropLast(1), original + [0], Data("foreign".utf8),
        ]
        for position in [0, 9, 16, 300, 600, 4090, 4096, 5000, original.count - 1] {
            var copy = original
            copy[position] ^= 0x10
            damaged.append(copy)
        }
        for copy in damaged {
            try copy.write(to: URL(filePath: sound.path))
            let parsed = Mutex(false)
            let trace = try folder.store.open(path: path, format: Self.format) { _ in parsed.withLock { $0 = true } }
            #expect(parsed.withLock { $0 })
            #expect(Array(trace.columns.ids) == ids)
            #expect(try Data(contentsOf: URL(filePath: trace.path)) == original)
        }
    }

    @Test func threadsThatOpenTheSameTraceCompileItOnce() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array(Self.text.utf8))
        let store = folder.store
        let compilations = Counter()
        let digests = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let trace = try? store.open(path: path, format: Self.format) { _ in compilations.add() }
                    return trace?.digest ?? "failed"
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(digests.count == 1)
        #expect(!digests.contains("failed"))
        // So short a trace reports its progress once, at its end.
        #expect(compilations.value == 1)
        #expect(compiledFiles(folder).count == 1)
    }

    @Test func threadsThatAskForTheFutureGetOne() async throws {
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(path: folder.write("x.csv", Array(Self.text.utf8)), format: Self.format)
        let addresses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let columns = try? trace.columnsWithFuture()
                    return columns?.next?.baseAddress.map { Int(bitPattern: $0) } ?? 0
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(addresses.count == 1)
        #expect(!addresses.contains(0))
    }

    @Test func failedCompilationLeavesNothing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.csv", Array((Self.text + "1,x\n").utf8))
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(path: path, format: Self.format) }
        #expect(error?.location == AssayError.Location(path, line: 3001))
        #expect(FileTree.names(in: folder.path + "/store").sorted() == ["locks", "sources"])
    }

    @Test func namesOfUnfinishedFilesOutliveTheirProcessNumber() {
        // In a container every process may have the same number as the one before it.
        let name = TemporaryName.next(in: "/x")
        #expect(name.hasPrefix("/x/unfinished-\(FileTree.processID)-"))
        #expect(name.split(separator: "-").count == 4)
        #expect(TemporaryName.next(in: "/x") != name)
    }

    @Test func leftoversOfDeadProcessesAreSwept() throws {
        let folder = try TemporaryFolder()
        _ = try folder.store.open(path: folder.write("x.txt", Array("1\n".utf8)))
        let dead = try folder.write("store/unfinished-999999999-1", [1])
        let alive = try folder.write("store/unfinished-\(FileTree.processID)-0", [1])
        let young = try folder.write("store/unfinished-999999999-2", [1])
        for path in [dead, alive] {
            let old = Date(timeIntervalSinceNow: -100_000)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
        }
        _ = try folder.store.open(path: folder.write("y.txt", Array("2\n".utf8)))
        #expect(!FileManager.default.fileExists(atPath: dead))
        #expect(FileManager.default.fileExists(atPath: alive))
        #expect(FileManager.default.fileExists(atPath: young))
    }

    @Test func folderThatCannotBeMadeIsAnError() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("file", [1])
        let store = TraceStore(directory: file + "/store")
        let error = assayError { () throws(AssayError) in _ = try store.open(path: file, format: "plain") }
        #expect(error?.code == .inputOutput)
    }

    @Test func missingTraceAndFolderAreErrors() throws {
        let folder = try TemporaryFolder()
        let missing = assayError { () throws(AssayError) in _ = try folder.store.open(path: "/nonexistent.txt") }
        #expect(missing?.code == .inputOutput)
        #expect(missing?.message.contains("Check the path") == true)
        let path = folder.path
        let isFolder = assayError { () throws(AssayError) in _ = try folder.store.open(path: path, format: "plain") }
        #expect(isFolder?.code == .usage)
    }

    /// Without a writer a pipe would never answer.
    @Test(.timeLimit(.minutes(30)))
    func pipeIsRefusedAtOnce() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path + "/pipe.txt"
        #expect(mkfifo(pipe, 0o600) == 0)
        let store = folder.store
        let opened = assayError { () throws(AssayError) in _ = try store.open(path: pipe) }
        #expect(opened?.code == .usage)
        let read = assayError { () throws(AssayError) in _ = try TraceInput.open(pipe) }
        #expect(read?.code == .usage)
        #expect(read?.message.contains("Save it to a file") == true)
    }

    /// A trace that is still being written must not stand under the digest of what it was before.
    @Test func fileThatChangesWhileItIsReadIsRefused() throws {
        let folder = try TemporaryFolder()
        // Long enough to report progress before its end.
        let text = String(repeating: "1\n", count: 300_000)
        let path = try folder.write("x.txt", Array(text.utf8))
        let changed = Array((text + "2\n").utf8)
        let store = folder.store
        let error = assayError { () throws(AssayError) in
            _ = try store.open(path: path) { _ in _ = try? folder.write("x.txt", changed) }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("changed") == true)
        #expect(compiledFiles(folder).isEmpty)
        #expect(try store.open(path: path).objects == 2)
    }

    @Test func fileIsRecognisedByXXH3AndProvedBySHA256() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.txt", Array("abc".utf8))
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try folder.store.sha256(of: path) == expected)
        #expect(try folder.store.open(path: path).sourceDigest == "xxh128:06b05ab6733a618578af5f94892f3950")
    }

    /// A workload of this package has been quiet since it was checked out: its digest is looked for while it is compiled.
    @Test func contentThatWasCompiledBeforeIsFoundAgainWithoutItsDigest() throws {
        let folder = try TemporaryFolder()
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.deletingLastPathComponent().appending(path: "Workloads/sort-pages.lirs.zst")
        let content = try Data(contentsOf: file)
        let first = try folder.store.open(path: file.path)
        try FileManager.default.removeItem(atPath: folder.path + "/store/sources")
        #expect(try folder.store.open(path: file.path).path == first.path)
        #expect(try folder.store.open(path: folder.write("copy.lirs.zst", content)).path == first.path)
        #expect(compiledFiles(folder).count == 1)
    }

    @Test func rememberedDigestFollowsTheFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.txt", Array("abc".utf8))
        // Long quiet, so that it is remembered.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        let first = try folder.store.sha256(of: path)
        _ = try folder.write("x.txt", Array("abd".utf8))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        #expect(try folder.store.sha256(of: path) != first)
    }
}

/// Counts across threads.
private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.wrappingAdd(1, ordering: .relaxed) }
}
