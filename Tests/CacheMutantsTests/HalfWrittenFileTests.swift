import CacheConformance
import CacheCore
import Foundation
import Synchronization
import Testing

/// A cache that keeps a file for each value and a marker beside it, as that of jax-ml/jax#39880: a value without its marker, which a
/// kill in the middle of a put leaves, made every later put fail.
@Suite("Files that a kill leaves half made")
struct HalfWrittenFileTests {
    private struct Subject: CacheSubject {
        let stumbles: Bool
        var name: String { stumbles ? "stumbles" : "goes on" }
        let needsDirectory = true

        func claims() -> Claims {
            Claims(StorageClaims(keyBytesMax: 100, valueBytesMax: 1 << 16, iterates: false, durability: .kill))
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            try? FileManager.default.createDirectory(atPath: directory!, withIntermediateDirectories: true)
            return Instance(directory!, stumbles)
        }
    }

    private final class Instance: CacheInstance {
        private let (directory, stumbles): (String, Bool)
        private let isClosed = Atomic(false)

        init(_ directory: String, _ stumbles: Bool) { (self.directory, self.stumbles) = (directory, stumbles) }

        private func path(_ key: [UInt8], _ end: String) -> String {
            "\(directory)/" + key.map { String($0, radix: 16) }.joined(separator: "-") + end
        }

        private func write(_ bytes: [UInt8], _ path: String) {
            try? Data(bytes).write(to: URL(filePath: path), options: .atomic)
        }

        /// What has no marker is nobody's.
        private func get(_ key: [UInt8]) -> StoredEntry? {
            guard FileManager.default.fileExists(atPath: path(key, ".mark")) else { return nil }
            return FileManager.default.contents(atPath: path(key, ".data")).map { StoredEntry(Array($0)) }
        }

        func perform(_ operation: CacheOperation) -> OperationResult {
            if isClosed.load(ordering: .relaxed), operation != .close { return .failure(.closed) }
            switch operation {
            case .put(let key, _, _, _):
                let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
                for name in names where name.hasSuffix(".data") && stumbles {
                    guard FileManager.default.fileExists(atPath: "\(directory)/\(name.dropLast(5)).mark") else {
                        return .failure(StoreError(.inputOutput, "\(name) has no marker"))
                    }
                }
                write(operation.entry!.value, path(key, ".data"))
                Thread.sleep(forTimeInterval: 500e-6)
                write([1], path(key, ".mark"))
                return .done
            case .get(let key): return .entry(get(key))
            case .contains(let key): return .flag(get(key) != nil)
            case .remove(let key):
                let wasThere = get(key) != nil
                for end in [".mark", ".data"] { try? FileManager.default.removeItem(atPath: path(key, end)) }
                return .flag(wasThere)
            case .close:
                isClosed.store(true, ordering: .relaxed)
                return .done
            default: return .failure(.unsupported(operation))
            }
        }
    }

    @Test(arguments: [true, false]) func `are stumbled over or not by later puts`(stumbles: Bool) throws {
        let check = try #require(ConformanceSuite.cache.check("FLT-15"))
        let outcome = check.run(on: Subject(stumbles: stumbles), seed: 1).outcome
        #expect(stumbles ? outcome.name == "fail" : outcome == .pass, "\(outcome)")
    }
}
