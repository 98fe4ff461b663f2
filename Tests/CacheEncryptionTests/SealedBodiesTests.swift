import CacheCore
import CacheEncryption
import CacheSystems
import Testing

@Suite("Segments of sealed bodies open in their place alone")
struct SealedBodiesTests {
    private static let bodies = SealedBodies(.random())
    private static let segment = [UInt8](0..<200)

    private static func isRefused(
        _ sealed: [UInt8], by segments: any SegmentSealing, at place: SegmentPlace
    ) -> Bool {
        do throws(StoreError) {
            _ = try segments.open(sealed, at: place)
            return false
        } catch { return error.code == .corrupt }
    }

    @Test(arguments: [0, 1, 200, 65_536])
    func `a segment comes out as it went in, and is longer by what is said`(count: Int) throws {
        let segment = [UInt8](repeating: 9, count: count)
        let (head, segments) = Self.bodies.begin(5)
        #expect(head.count == Self.bodies.headBytes)
        let again = try Self.bodies.resume(5, head: head)
        for place in [SegmentPlace(0, isLast: true), SegmentPlace(70_000, isLast: false)] {
            let sealed = try segments.seal(segment, at: place)
            #expect(sealed.count == count + Self.bodies.overheadBytes)
            #expect(try again.open(sealed, at: place) == segment)
        }
    }

    @Test func `another place, body, head, key or byte is corrupt`() throws {
        let place = SegmentPlace(3, isLast: false)
        let (head, segments) = Self.bodies.begin(5)
        let sealed = try segments.seal(Self.segment, at: place)
        #expect(!Self.isRefused(sealed, by: segments, at: place))
        for other in [SegmentPlace(2, isLast: false), SegmentPlace(3, isLast: true), SegmentPlace(4, isLast: false)] {
            #expect(Self.isRefused(sealed, by: segments, at: other))
        }
        var changed = head
        changed[9] ^= 1
        for (bodies, number, head) in [
            (Self.bodies, 6, head), (Self.bodies, 5, changed), (SealedBodies(.random()), 5, head),
        ] as [(SealedBodies, UInt64, [UInt8])] {
            #expect(Self.isRefused(sealed, by: try bodies.resume(number, head: head), at: place))
        }
        for index in sealed.indices {
            var bytes = sealed
            bytes[index] ^= 128
            #expect(Self.isRefused(bytes, by: segments, at: place))
            #expect(Self.isRefused(Array(sealed.prefix(index)), by: segments, at: place))
        }
        for head in [[], Array(head.dropLast()), [9] + head.dropFirst()] {
            #expect(throws: StoreError.self) { try Self.bodies.resume(5, head: head) }
        }
    }

    @Test func `two bodies of one number have nothing in common`() throws {
        let place = SegmentPlace(0, isLast: true)
        let pair = try (0..<2).map { _ in try Self.bodies.begin(1).segments.seal(Self.segment, at: place) }
        #expect(zip(pair[0], pair[1]).filter { $0 == $1 }.count < 30)
    }
}
