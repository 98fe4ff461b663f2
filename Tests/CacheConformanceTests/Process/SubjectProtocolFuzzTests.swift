import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("Fuzzed answers of subjects", .serialized)
struct SubjectProtocolFuzzTests {
    private static let bodies = [
        #"{"id":0,"hello":{"version":1,"name":"n","needsDirectory":true,"claims":{"features":["timeToLive"],"room":{"capacity":{"amount":4,"unit":"objects"},"isAdjustable":true,"units":["bytes"],"isStrict":true},"concurrency":{"clientsMax":4,"readsMayMiss":true},"formats":{"newest":2,"older":[1],"keepsEntries":true,"opensNewer":false},"order":"lru"}}}"#,
        #"{"id":1,"done":true}"#, #"{"id":2,"entry":{"value":"0102","expiresAtNanoseconds":5}}"#,
        #"{"id":3,"loaded":"value","entry":{"value":"01"},"calls":1}"#,
        #"{"id":4,"outcomes":[{"loaded":"failed"}],"asked":["61"]}"#,
        #"{"id":5,"statistics":{"hits":1,"misses":2,"hitRatio":0.5,"lowerHits":3}}"#, #"{"id":6,"number":3}"#,
        #"{"id":7,"events":[{"key":"61","value":"01","cause":"evicted","group":"g"}]}"#,
        #"{"id":8,"writes":[{"key":"61"}]}"#,
        #"{"id":9,"error":{"code":"crashed","message":"m"}}"#, #"{"id":10,"entries":[null,{"value":"01"}]}"#,
    ]

    @Test func `whatever a subject writes is answers or an end of the conversation`() throws {
        let frames = Self.bodies.map { SubjectFrames.frame(Array($0.utf8)) }
        let words = [
            "{", "[", "null", "\"calls\":", "\"number\":", "\"time\":", "\"keys\":[", "\"flags\":[true]",
            "\"hitRatio\":", "\\u0000",
        ]
        try Fuzzer("subject", samples: frames + [frames.flatMap(\.self)], fragments: words).run { bytes in
            var (reader, place) = (SubjectFrames(), 0)
            while place < bytes.count {
                let end = min(bytes.count, place + 1 + place % 700)
                reader.append(bytes[place..<end])
                place = end
                while let body = try reader.next() {
                    guard let answer = try? JSONDecoder().decode(SubjectAnswer.self, from: Data(body)) else { continue }
                    guard let result = answer.result else { continue }
                    _ = ValueText.describe(result, of: .get([0x61]))
                    var model = CacheModel(claims: Claims(features: [.statistics, .events, .loader, .writer]))
                    for operation in [
                        CacheOperation.statistics, .events, .writes, .count, .keys, .cost,
                        .load([0x61], Origin(.nothing)),
                    ] {
                        _ = model.judge(operation, result)
                    }
                }
            }
        }
    }

    @Test func `a length above the limit is no frame, and nothing waits for it`() {
        var frames = SubjectFrames()
        frames.append([0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: SubjectFrames.Garbage.self) { try frames.next() }
    }
}
