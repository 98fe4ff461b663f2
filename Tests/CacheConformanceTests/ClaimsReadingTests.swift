import CacheCore
import Foundation
import Testing

@testable import CacheConformance

@Suite("Claims are read as they are meant, or refused")
struct ClaimsReadingTests {
    private func read(_ json: String) throws -> Claims { try JSONDecoder().decode(Claims.self, from: Data(json.utf8)) }

    private static let storage = #"""
        "storage":{"keyBytesMax":100,"allowsEmptyKey":true,"valueBytesMax":100,"retains":true,"iterates":true,"durability":"exit",
        "isConcurrent":false}
        """#

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

    @Test func `every claim is read again as it was written`() throws {
        var claims = Claims(
            StorageClaims(durability: .power), features: Set(Claims.Feature.allCases), room: .init(.bytes(100)),
            order: "lru")
        claims.concurrency = .init(clientsMax: 3, readsMayMiss: true)
        claims.formats = .init(newest: 3, older: [1, 2])
        #expect(try JSONDecoder().decode(Claims.self, from: JSONEncoder().encode(claims)) == claims)
    }
}
