import CacheCore
import Testing

@testable import CacheConformance

/// A feature that no drawn program has is a feature whose meeting with the others nobody looks at.
@Suite("Programs of everything")
struct ProgramGeneratorTests {
    private static let claims = Claims(
        features: [.rename, .groups, .cost, .timeToLive, .tags, .bulk, .counter],
        room: CapacityClaim(.objects(100), units: [.objects, .bytes]))

    private static func operations(_ claims: Claims) -> [CacheOperation] {
        var generator = ProgramGenerator(
            claims: claims, keys: [Array("a".utf8), Array("b".utf8)], random: SeededGenerator(seed: 1))
        return generator.programOfEverything(operations: 2_000).operations
    }

    @Test func `they have renames, groups and costs where those are claimed`() {
        let operations = Self.operations(Self.claims)
        var (renames, costs, lives) = (0, 0, 0)
        var inGroups: Set<String> = []
        for operation in operations {
            switch operation {
            case .rename: renames += 1
            case .within(let group, let inner): inGroups.insert("\(group) \(inner.name)")
            case .put(_, _, _, let terms) where terms.cost != 1:
                costs += 1
                if terms.timeToLiveNanoseconds != nil { lives += 1 }
            default: break
            }
        }
        #expect(renames > 20 && costs > 20 && lives > 5)
        let wanted: Set = ["x put", "y get", " contains", "x remove", "y count", " keys", "x removeAll"]
        #expect(inGroups.isSuperset(of: wanted))
        #expect(operations.contains(.cost))
    }

    @Test func `they have nothing that is not claimed`() {
        var claims = Self.claims
        claims.features = [.timeToLive]
        for operation in Self.operations(claims) {
            switch operation {
            case .rename, .within, .cost: Issue.record("\(operation)")
            case .put(_, _, _, let terms): #expect(terms.cost == 1 && terms.tags.isEmpty)
            default: break
            }
        }
    }
}
