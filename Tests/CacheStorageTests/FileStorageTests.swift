import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorage

/// What is special about a file an entry: damage, foreign files, leftovers, permissions.
@Suite("File storage")
struct FileStorageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static func open(_ path: String, _ parameters: String = "") throws -> FileStorage {
        let values = try ParameterValues(parsing: parameters, for: FileStorage.descriptor.parameters, of: "file")
        return try FileStorage(BackendConfiguration(directory: path, parameters: values))
    }

    /// The only entry's file.
    private func entryFile() throws -> String {
        try #require(
            directory.files().first { !$0.hasSuffix("/lock") && !$0.dropFirst(directory.path.count).hasPrefix("/tmp/") }
        )
    }

    /// Puts an entry, damages its file, and returns what two gets say.
    private func get(
        _ value: [UInt8], key: [UInt8] = [0x61], after damage: (inout [UInt8]) -> Void
    ) throws -> (first: Result<StoredEntry?, StoreError>, second: StoredEntry?) {
        let store = try Self.open(directory.path)
        try store.put(StoredEntry(value, expiresAtNanoseconds: 77), for: key)
        let file = try entryFile()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        damage(&bytes)
        try Data(bytes).write(to: URL(filePath: file))
        let first = Result { () throws(StoreError) in try store.get(key) }
        let second = try store.get(key)
        try store.close()
        return (first, second)
    }

    @Test func `a file cut at any length is corrupt once and then a miss`() throws {
        let value = [UInt8](0..<50)
        for length in 0..<(40 + 1 + value.count) {
            let (first, second) = try get(value) { $0 = Array($0[..<length]) }
            guard case .failure(let error) = first else {
                Issue.record("cut to \(length) bytes it says \(first)")
                return
            }
            #expect(error.code == .corrupt)
            #expect(second == nil)
        }
    }

    @Test func `a file with any byte flipped is corrupt once and then a miss`() throws {
        let value = [UInt8](0..<50)
        for index in 0..<(40 + 1 + value.count) {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                let (first, second) = try get(value) { $0[index] ^= mask }
                guard case .failure(let error) = first else {
                    Issue.record("flipped at \(index) it says \(first)")
                    return
                }
                #expect(error.code == .corrupt)
                #expect(second == nil)
            }
        }
    }

    @Test(arguments: [1, 16_343, 16_344, 16_384, 100_000])
    func `bytes appended to a file are noticed`(size: Int) throws {
        let (first, second) = try get([UInt8](repeating: 7, count: size)) { $0.append(0) }
        #expect(throws: StoreError.self) { try first.get() }
        #expect(second == nil)
    }

    @Test func `an entry whose file was swapped with another is corrupt`() throws {
        let store = try Self.open(directory.path)
        try store.put(StoredEntry([1]), for: [0x61])
        try store.put(StoredEntry([2]), for: [0x62])
        let names = FileNames(root: directory.path)
        let paths = [[0x61], [0x62]].map { (key: [UInt8]) in
            names.path(of: key).withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        }
        try FileManager.default.removeItem(atPath: paths[1])
        try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
        #expect(throws: StoreError.self) { try store.get([0x62]) }
        #expect(try store.get([0x61]) == StoredEntry([1]))
    }

    @Test func `orphan temporary files are deleted at open and foreign ones are not`() throws {
        try Self.open(directory.path).close()
        let manager = FileManager.default
        _ = manager.createFile(atPath: directory.path + "/tmp/t17", contents: Data([1]))
        _ = manager.createFile(atPath: directory.path + "/tmp/notes.txt", contents: Data([2]))
        let store = try Self.open(directory.path)
        #expect(!manager.fileExists(atPath: directory.path + "/tmp/t17"))
        #expect(manager.fileExists(atPath: directory.path + "/tmp/notes.txt"))
        try store.put(StoredEntry([1]), for: [1])
        #expect(try manager.contentsOfDirectory(atPath: directory.path + "/tmp") == ["notes.txt"])
    }

    @Test func `foreign files in a shard are neither listed nor deleted`() throws {
        let store = try Self.open(directory.path)
        try store.put(StoredEntry([1]), for: [0x61])
        let shard = try URL(filePath: entryFile()).deletingLastPathComponent().path
        let strangers = ["readme.txt", "k6", "k6G", "K61", "k62", "h00", "k" + String(repeating: "0", count: 400 / 2)]
        for name in strangers { _ = FileManager.default.createFile(atPath: "\(shard)/\(name)", contents: Data()) }
        #expect(try store.keys() == [[0x61]])
        #expect(try store.count() == 1)
        try store.removeAll()
        #expect(try store.count() == 0)
        for name in strangers { #expect(FileManager.default.fileExists(atPath: "\(shard)/\(name)"), "\(name)") }
    }

    @Test func `a second store in the same directory is refused until the first is closed or released`() throws {
        var store: FileStorage? = try Self.open(directory.path)
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .unavailable)
        try store?.close()
        store = try Self.open(directory.path)
        store = nil
        _ = try Self.open(directory.path)
        _ = store
    }

    @Test func `a directory that was deleted underneath comes back with the next put`() throws {
        let store = try Self.open(directory.path)
        try store.put(StoredEntry([1]), for: [1])
        try FileManager.default.removeItem(atPath: directory.path)
        #expect(try store.get([1]) == nil)
        try store.put(StoredEntry([2]), for: [1])
        #expect(try store.get([1]) == StoredEntry([2]))
    }

    @Test func `a thousand stores can be open together`() throws {
        let stores = try (0..<1_000).map { try Self.open("\(directory.path)/\($0)") }
        for (index, store) in stores.enumerated() { try store.put(StoredEntry([UInt8(index % 256)]), for: [1]) }
        for (index, store) in stores.enumerated() {
            #expect(try store.get([1]) == StoredEntry([UInt8(index % 256)]))
        }
    }

    @Test(arguments: ["/proc/nowhere", "/dev/null/store", ""])
    func `a place that cannot be used is a typed error`(path: String) {
        let error = #expect(throws: StoreError.self) { try Self.open(path) }
        #expect(error?.code == .unavailable)
    }

    @Test func `claims follow the parameters`() throws {
        for (sync, level) in [("none", DurabilityLevel.kill), ("file", .kill), ("full", .power)] {
            let store = try Self.open("\(directory.path)/\(sync)", "sync=\(sync),value-bytes-max=10")
            #expect(store.claims.durability == level)
            #expect(store.claims.valueBytesMax == 10)
        }
    }
}
