import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("A subject of this process served over the protocol")
struct SubjectServerTests {
    private struct Served: CacheSubject {
        let name = "served"
        var isConcurrent = false

        func claims() -> Claims { Claims(StorageClaims(isConcurrent: isConcurrent), features: [.cost]) }
        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            if setup.capacity?.amount == 0 { throw StoreError(.unavailable, "no room") }
            return SmallCache(setup.capacity?.amount ?? 512)
        }
    }

    /// The bodies that are answered to bodies, by their ids.
    private static func answers(_ bodies: [String], isConcurrent: Bool = false) throws -> [Int: String] {
        let (input, output) = (Pipe(), Pipe())
        let bytes = bodies.flatMap { SubjectFrames.frame(Array($0.utf8)) }
        try input.fileHandleForWriting.write(contentsOf: Data(bytes))
        try input.fileHandleForWriting.close()
        let descriptor = output.fileHandleForWriting.fileDescriptor
        SubjectServer.serve(
            Served(isConcurrent: isConcurrent), from: input.fileHandleForReading.fileDescriptor, to: descriptor)
        var frames = SubjectFrames()
        var answers: [Int: String] = [:]
        while answers.count < bodies.count {
            // An answer that does not come is missing in the result, and holds nothing up.
            var wait = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, isConcurrent ? 30_000 : 0) > 0 else { break }
            let data = output.fileHandleForReading.availableData
            frames.append(Array(data)[...])
            while let body = try frames.next() {
                let answer = try JSONDecoder().decode(SubjectAnswer.self, from: Data(body))
                answers[answer.id] = String(decoding: body, as: UTF8.self)
            }
        }
        return answers
    }

    @Test(arguments: [false, true]) func `greeting, instances and steps are answered`(isConcurrent: Bool) throws {
        let answers = try Self.answers(
            [
                #"{"id":0,"hello":{"protocol":"assay-subject","versions":[1]}}"#,
                #"{"id":1,"instance":7,"open":{"capacity":{"amount":0,"unit":"objects"}}}"#,
                #"{"id":2,"instance":9,"step":{"operation":"get","key":"61"}}"#,
                #"{"id":3,"hello":{"protocol":"assay-subject","versions":[99]}}"#,
                #"{"id":4,"instance":9,"release":true}"#,
            ], isConcurrent: isConcurrent)
        #expect(answers[0]?.contains(#""name":"served""#) == true && answers[0]?.contains(#""cost""#) == true)
        #expect(answers[1]?.contains("unavailable") == true && answers[2]?.contains("no instance") == true)
        #expect(answers[3]?.contains("unsupported") == true && answers[4]?.contains("done") == true)
    }

    @Test func `what it holds is the subject's`() throws {
        let answers = try Self.answers([
            #"{"id":1,"instance":1,"open":{}}"#,
            #"{"id":2,"instance":1,"step":{"operation":"put","key":"61","value":"0102"}}"#,
            #"{"id":3,"instance":1,"step":{"operation":"get","key":"61"}}"#,
            #"{"id":4,"instance":1,"step":{"operation":"pin","key":"61"}}"#,
            #"{"id":5,"instance":1,"step":{"operation":"put","key":"61"}}"#,
            #"{"id":6,"instance":1,"step":{"operation":"get","key":"6"}}"#,
        ])
        #expect(answers[3]?.contains(#""value":"0102""#) == true)
        #expect(answers[4]?.contains("unsupported") == true && answers[5]?.contains("unsupported") == true)
        #expect(answers[6] == nil, "half a byte is no key, and ends the serving")
    }
}
