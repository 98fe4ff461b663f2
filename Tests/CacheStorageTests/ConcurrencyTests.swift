import CacheConformance
import CacheCore
import CacheStorage
import Dispatch
import Synchronization
import Testing
import _CacheTestSupport

/// Backends that claim concurrent use keep values whole while several threads put, get, remove and clear.
@Suite("Concurrent use")
struct ConcurrencyTests {
    @Test(arguments: BuiltinStorage.all.map(\.descriptor.name))
    func `every hit is a whole value of its key`(name: String) throws {
        let directory = try TemporaryDirectory()
        let entry = try #require(BuiltinStorage.all.first { $0.descriptor.name == name })
        let store = try entry.open(directory: directory.path)
        guard store.claims.isConcurrent else {
            Issue.record("\(name) does not claim concurrent use, which is not tested", severity: .warning)
            return
        }
        let problems = Mutex<[String]>([])
        let hits = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SeededGenerator(seed: UInt64(thread))
            for round in 0..<1_500 {
                let key = [UInt8(random.next(below: 6))]
                do throws(StoreError) {
                    switch random.next(below: 20) {
                    case 0..<9:
                        let payload = Payload.described(
                            sequence: thread * 10_000 + round, byteCount: 24 + round * 7 % 9_000)
                        try store.put(StoredEntry(payload.bytes(for: key)), for: key)
                    case 9..<18:
                        guard let found = try store.get(key) else { continue }
                        hits.wrappingAdd(1, ordering: .relaxed)
                        if !Self.isWhole(found.value, key) {
                            problems.withLock { $0.append("a torn value under \(key)") }
                        }
                    case 18: _ = try store.remove(key)
                    default: if round % 50 == 0 { try store.removeAll() } else { _ = try store.keys() }
                    }
                } catch {
                    problems.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(problems.withLock { $0 }.isEmpty)
        #expect(hits.load(ordering: .relaxed) > 500)
    }

    /// Whether a value equals the described value that its own head announces.
    private static func isWhole(_ bytes: [UInt8], _ key: [UInt8]) -> Bool {
        let word = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self)) }
        let payload = Payload.described(sequence: Int(word >> 32), byteCount: Int(word & 0xFFFF_FFFF))
        return payload.bytes(for: key) == bytes
    }
}
