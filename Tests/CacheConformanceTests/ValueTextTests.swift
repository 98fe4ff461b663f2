import CacheCore
import Testing

@testable import CacheConformance

@Suite("Answers in words")
struct ValueTextTests {
    /// Every value of a bulk read was called one of another key.
    @Test func `each answer to a bulk read is told under its own key`() {
        let keys = [[UInt8]("a".utf8), [UInt8]("b".utf8)]
        let found = keys.enumerated().map { StoredEntry(value($0).bytes(for: $1)) }
        for operation in [CacheOperation.getMany(keys), .within(group: "g", .getMany(keys))] {
            let right = ValueText.describe(.entries(found), of: operation)
            #expect(right == "value 0 (32 bytes); value 1 (32 bytes)")
            let wrong = ValueText.describe(.entries(found.reversed()), of: operation)
            #expect(wrong == "value 1 of another key (32 bytes); value 0 of another key (32 bytes)")
        }
    }
}
