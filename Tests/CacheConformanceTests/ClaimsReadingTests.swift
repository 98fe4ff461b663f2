import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("Claims are read as they are meant, or refused")
struct ClaimsReadingTests {
    private func read(_ json: String) throws -> Claims { try JSONDecoder().decode(Claims.self, from: Data(json.utf8)) }

    private static let storage = #"""
        "storage":{"keyBytesMax":100,"allowsEmptyKey":true,"valueBytesMax":100,"retains":true,"iterates":true,"durability":"exit",
        "isConcurrent":false}
        """#

    @Test func `an old word claims all that it stood for`() throws {
        let claims = try read("{\(Self.storage),\"features\":[\"conditional\",\"moment\"]}")
        #expect(claims.features == [.putIfAbsent, .replace, .compareAndSet, .take, .storedExpiry])
    }

    @Test(arguments: [
        (#"{"features":["timeToLiv"]}"#, "There is no feature 'timeToLiv'. Did you mean 'timeToLive'?"),
        (#"{"feature":["timeToLive"]}"#, "There is no member 'feature'. Did you mean 'features'?"),
        (
            #"{"room":{"capacity":{"amount":4,"unit":"objects"},"isAdjustible":true,"units":[],"isStrict":true}}"#,
            "'isAdjustable'"
        ),
        (
            #"{"room":{"capacity":{"amount":0,"unit":"objects"},"isAdjustable":true,"units":[],"isStrict":true}}"#,
            "at least 1"
        ),
        (#"{"concurrency":{"clientsMax":-5,"readsMayMiss":false}}"#, "from 2 to 1024"),
        (#"{"deviations":["liveAtDedline"]}"#, "There is no deviation 'liveAtDedline'. Did you mean 'liveAtDeadline'?"),
        (#"{"deviations":["oneTimeToLive"]}"#, "concerns 'timeToLive', which is not claimed"),
        (#"{"limits":{"capacityMx":4}}"#, "There is no member 'capacityMx'. Did you mean 'capacityMax'?"),
        (#"{"limits":{"costMax":0}}"#, "'limits.costMax' is at least 1"),
        (#"{"limits":{"clockStepNanoseconds":9223372036854775807}}"#, "from 1 to 2^42"),
        (#"{"formats":{"newest":9223372036854775807,"older":[],"keepsEntries":true,"opensNewer":false}}"#, "0 to 2^31"),
    ])
    func `what does not exist is named with what may have been meant`(json: String, words: String) {
        let error = #expect(throws: DecodingError.self) { try read(json) }
        #expect(error?.inWords.contains(words) == true, "\(error?.inWords ?? "read")")
    }

    @Test(arguments: ["keyBytesMax", "valueBytesMax"], ["-1", "0", "9223372036854775807"])
    func `limits of keys and values are numbers that a cache can mean`(name: String, number: String) throws {
        #expect(try read("{\(Self.storage)}").keyBytesMax == 100)
        let json = Self.storage.replacing(#""\#(name)":100"#, with: #""\#(name)":\#(number)"#)
        #expect(throws: DecodingError.self) { try read("{\(json)}") }
    }

    @Test(arguments: [0, 9]) func `a cache has from one face to eight`(faces: Int) throws {
        #expect(try read(#"{\#(Self.storage),"faces":8}"#).faces == 8)
        #expect(throws: DecodingError.self) { try read(#"{\#(Self.storage),"faces":\#(faces)}"#) }
    }

    @Test func `every claim is read again as it was written`() throws {
        var claims = Claims(
            StorageClaims(durability: .power), features: Set(Claims.Feature.allCases), room: .init(.bytes(100)),
            order: "lru")
        claims.concurrency = .init(clientsMax: 3, readsMayMiss: true)
        claims.formats = .init(newest: 3, older: [1, 2])
        claims.faces = 2
        claims.deviations = Set(Deviation.allCases)
        claims.limits.capacityMax = 1_000
        claims.limits.clockStepNanoseconds = 1_000_000
        let read = try JSONDecoder().decode(Claims.self, from: JSONEncoder().encode(claims))
        // A kit claims `writer` for every cache that is given one.
        claims.features.remove(.writer)
        #expect(read == claims)
    }

    @Test func `the protocol's page has every deviation as the claims have it`() throws {
        let page = try String(
            contentsOf: SharedFolder.packageRoot.appending(path: "docs/subject-protocol.md"), encoding: .utf8)
        let rows = Deviation.allCases.map { "| `\($0.rawValue)` | \($0.sentence) | \($0.example) |" }
        #expect(page.split(separator: "\n").filter { line in rows.contains { $0 == line } }.count == rows.count)
        let limits = Mirror(reflecting: Claims.Limits()).children.compactMap(\.label)
        #expect(limits.allSatisfy { page.contains("| `\($0)` |") })
    }
}
