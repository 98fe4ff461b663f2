import CacheCore
import Foundation
import Testing

@testable import CacheTraces

/// Traces that are made of others.
@Suite struct TraceBuilderTests {
    @Test func `a part of a trace is what a file of these requests would be`() throws {
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(
            path: folder.write("x.csv", Array("a,1\nb,2\na,3\nc,4\nb,5\n".utf8)), format: "csv:key=1,size=2")
        let part = try folder.store.open(
            path: folder.write("y.csv", Array("b,2\nc,4\nb,5\n".utf8)), format: "csv:key=1,size=2")
        var builder = try TraceBuilder(in: folder.store)
        var source = TraceSource(trace)
        for position in [1, 3, 4] { try builder.append(position, of: &source) }
        let made = try builder.finish("made")
        #expect(made.contentDigest == part.contentDigest)
        #expect(Array(try made.columnsWithFuture().next ?? .init(start: nil, count: 0)) == [2, .max, .max])
        #expect(!FileManager.default.fileExists(atPath: made.path))
    }

    @Test(arguments: 0..<64)
    func `a whole trace is the same again`(_ attributes: Int) throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: attributes, requests: 100, seed: 21)
        var builder = try TraceBuilder(in: folder.store)
        var source = TraceSource(trace)
        for position in 0..<trace.requests { try builder.append(position, of: &source) }
        #expect(try builder.finish("made").contentDigest == trace.contentDigest)
    }

    @Test func `no request at all is refused, and no file is left`() throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        let error = assayError { () throws(AssayError) in
            let builder = try TraceBuilder(in: store)
            _ = try builder.finish("made")
        }
        #expect(error?.code == .badInput)
        let left = try FileManager.default.contentsOfDirectory(atPath: store.directory)
        #expect(left.filter { $0.hasPrefix("unfinished") } == [])
    }

    @Test func `a sample has the same keys in every trace, and about its share of them`() throws {
        let folder = try TemporaryFolder()
        let numbers = (0..<20_000).map { "\($0)" }
        let words = (0..<20_000).map { "w\($0)" }
        let forward = try folder.store.open(
            path: folder.write("x.txt", Array((numbers + words).joined(separator: "\n").utf8)))
        let backward = try folder.store.open(
            path: folder.write("y.txt", Array((numbers + words).reversed().joined(separator: "\n").utf8)))
        let sample = KeySample(rate: 0.1, seed: 1)
        func chosen(_ trace: CompiledTrace) -> Set<[UInt8]> {
            let isIn = sample.objects(of: trace)
            return Set((0..<UInt32(trace.objects)).filter { isIn[Int($0)] }.map { trace.key(of: $0) })
        }
        #expect(chosen(forward) == chosen(backward))
        // Six standard deviations of a binomial distribution: 4000 ± 360.
        #expect((3640...4360).contains(chosen(forward).count))
        #expect(KeySample(rate: 0.1, seed: 2).objects(of: forward) != sample.objects(of: forward))
    }

    /// RFC 4231, cases 1, 2 and 6.
    @Test func `the keyed hash is HMAC with SHA-256`() {
        func hex(_ bytes: [UInt8]) -> String { SHA256.hexadecimal(bytes) }
        #expect(
            hex(Anonymiser.hmac([UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8)))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        #expect(
            hex(Anonymiser.hmac(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(
                Anonymiser.hmac(
                    [UInt8](repeating: 0xaa, count: 131),
                    Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `an anonymous trace has the same requests under other names`() throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: 63, requests: 200, seed: 31)
        func anonymous(_ secret: String, moves: Bool = false, change: Double = 0) throws -> CompiledTrace {
            var anonymiser = try Anonymiser(secret: Array(secret.utf8))
            anonymiser.movesTimes = moves
            anonymiser.sizeChange = change
            let names = anonymiser.names(of: trace)
            #expect(names.collisions == 0)
            var builder = try TraceBuilder(in: folder.store)
            try anonymiser.append(trace, names, to: &builder)
            return try builder.finish("made")
        }
        let secret = "0123456789abcdef"
        let made = try anonymous(secret)
        #expect(Array(made.columns.ids) == Array(trace.columns.ids))
        for position in 0..<trace.requests {
            #expect(made.columns.request(at: position) == trace.columns.request(at: position))
            #expect(made.columns.operation(at: position) == trace.columns.operation(at: position))
        }
        #expect(
            (0..<UInt32(made.objects)).allSatisfy {
                made.integerKey(of: $0) != nil && made.key(of: $0) != trace.key(of: $0)
            })
        #expect(
            Set(made.tenantNames).isDisjoint(with: trace.tenantNames)
                && made.tenantNames.count == trace.tenantNames.count)
        #expect(try anonymous(secret).contentDigest == made.contentDigest)
        #expect(try anonymous("another secret..").contentDigest != made.contentDigest)
        let moved = try anonymous(secret, moves: true, change: 0.1)
        let (times, original) = (try #require(moved.columns.times), try #require(trace.columns.times))
        let shift = times[0] - original[0]
        #expect(shift > 0 && times.indices.allSatisfy { times[$0] - original[$0] == shift })
        for position in 0..<trace.requests {
            let (before, after) = (trace.columns.request(at: position).size, moved.columns.request(at: position).size)
            #expect(abs(Double(after - before)) <= Double(before) * 0.1 + 1)
        }
        #expect(moved.bytesRequested != trace.bytesRequested)
        let error = assayError { () throws(AssayError) in _ = try Anonymiser(secret: [1, 2, 3]) }
        #expect(error?.code == .usage)
    }
}
