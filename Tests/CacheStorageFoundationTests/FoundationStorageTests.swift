import CacheCore
import CacheStorageFoundation
import Foundation
import Testing

/// Foundation's caches as backends. Each body runs in a child process: these subjects may end theirs.
@Suite("Foundation storage")
struct FoundationStorageTests {
    @Test func `both ask for a process of their own and promise little`() async {
        await #expect(processExitsWith: .success) {
            for entry in [BackendEntry(NSCacheStorage.self), BackendEntry(URLCacheStorage.self)] {
                precondition(entry.descriptor.needsOwnProcess)
                let store = try entry.open(directory: NSTemporaryDirectory() + "assay-foundation-claims")
                precondition(!store.claims.retains && !store.claims.iterates && store.claims.durability == .volatile)
                do {
                    _ = try store.keys()
                    preconditionFailure("keys were listed")
                } catch let error as StoreError { precondition(error.code == .unsupported) }
                try store.close()
            }
            exit(0)
        }
    }

    @Test func `NSCache obeys its count limit`() async {
        await #expect(processExitsWith: .success) {
            let values = try ParameterValues(
                parsing: "count-limit=4", for: NSCacheStorage.descriptor.parameters, of: "nscache")
            let store = try NSCacheStorage(BackendConfiguration(directory: nil, parameters: values))
            for index in UInt8(0)..<10 { try store.put(StoredEntry([index]), for: [index]) }
            let found = try (UInt8(0)..<10).filter { try store.get([$0]) != nil }
            precondition(found.count == 4)
            exit(0)
        }
    }

    /// Says so when Foundation has mended it: then the documentation is to be mended too.
    @Test func `URLCache ends its process when what was stored twice is pushed out`() async {
        #if os(Linux)
            await #expect(processExitsWith: .failure) {
                let values = try ParameterValues(
                    parsing: "memory-mib=1,value-bytes-max=200000", for: URLCacheStorage.descriptor.parameters,
                    of: "urlcache")
                let store = try URLCacheStorage(
                    BackendConfiguration(
                        directory: NSTemporaryDirectory() + "assay-foundation-crash", parameters: values))
                let large = StoredEntry([UInt8](repeating: 1, count: 200_000))
                for _ in 0..<2 { try store.put(large, for: [1]) }
                for index in UInt8(2)..<20 { try store.put(large, for: [index]) }
                exit(0)
            }
        #endif
    }

    @Test func `URLCache keeps an entry that is stored once, with its moment of expiry`() async {
        await #expect(processExitsWith: .success) {
            let store = try BackendEntry(URLCacheStorage.self).open(
                directory: NSTemporaryDirectory() + "assay-foundation-once")
            let entry = StoredEntry([0, 255, 13, 10], expiresAtNanoseconds: .min)
            try store.put(entry, for: [0, 47])
            let first = try store.get([0, 47])
            let isRemoved = try store.remove([0, 47])
            let second = try store.get([0, 47])
            precondition(first == entry && isRemoved && second == nil)
            exit(0)
        }
    }
}
