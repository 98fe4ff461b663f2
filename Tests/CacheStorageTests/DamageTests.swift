import CacheConformance
import CacheCore
import CacheStorage
import Testing
import _CacheTestSupport

/// Files that were cut or changed while a store was closed: every value is whole, absent or a typed error.
@Suite("Damage")
struct DamageTests {
    @Test(
        arguments: ["log:", "mmap:grow-bytes=4096", "file:", "tiered:lower=log"],
        StoreDamage.Kind.allCases)
    func `no damage to a file gives wrong bytes`(subject: String, kind: StoreDamage.Kind) throws {
        let outcome = try Self.damage(to: subject).run(kind)
        #expect(outcome.problems == [])
        #expect(outcome.whole > outcome.tries, "the entries around the damage stay")
        #expect(outcome.absent + outcome.corrupt > 0, "the damage is noticed")
    }

    /// As after a kill: the last segment has no hint.
    @Test func `a damaged record without its hint costs one entry, and nothing older comes back`() throws {
        let subject = try StorageConformanceTests.subject("log:")
        let damage = StoreDamage(isDamaged: { $0.hasSuffix(".seg") }) { directory in
            try Self.deleteHints(in: directory)
            return try subject.open(in: directory)
        }
        let outcome = try damage.run(.flip)
        #expect(outcome.problems == [])
        // Four of five entries are left, and all where it was a mark or what rounds a record up.
        #expect(outcome.whole >= 4 * outcome.tries)
    }

    @Test(arguments: StoreDamage.Kind.allCases)
    func `a store without checksums is caught`(kind: StoreDamage.Kind) throws {
        let entry = BackendEntry(CarelessStorage.self)
        #expect(try !StoreDamage { try entry.open(directory: $0) }.run(kind).problems.isEmpty)
    }

    private static func damage(to text: String) throws -> StoreDamage {
        let subject = try StorageConformanceTests.subject(text)
        return StoreDamage(isDamaged: { !$0.hasSuffix("/lock") }) { try subject.open(in: $0) }
    }

    private static func deleteHints(in directory: String) throws {
        for name in try FileSystem.names(in: FileSystem.characters(directory))
        where name.suffix(5).elementsEqual(".hint".utf8) {
            _ = try FileSystem.delete(
                FileSystem.characters(directory + "/" + String(decoding: name, as: UTF8.self)))
        }
    }
}
