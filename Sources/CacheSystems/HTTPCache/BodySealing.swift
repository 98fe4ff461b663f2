public import CacheCore

/// Seals the segments of long bodies before they are written, and opens them when they are read.
///
/// ### Purpose
/// A long body lies in a file of its own, in segments of 64 KiB, so that any part of it can be read, and in constant memory. What a segment
/// looks like there is up to this: ``ChecksummedBodies`` adds a checksum, another may encrypt.
///
/// ### Implementers' notes
/// A segment must be refused that is not what was sealed for the same body in the same place: whoever can write to the directory can swap
/// files and segments, and cut a file short. The number of a body is its own as long as it is stored.
public protocol BodySealing: Sendable {
    /// With how many bytes the file of a body begins.
    var headBytes: Int { get }
    /// How many bytes a segment has more when it is sealed.
    var overheadBytes: Int { get }

    /// The head of a new body's file, and what seals its segments.
    func begin(_ number: UInt64) throws(StoreError) -> (head: [UInt8], segments: any SegmentSealing)

    /// What opens the segments of a body whose file begins with some bytes.
    ///
    /// - Throws: `corrupt` for bytes that are no such head.
    func resume(_ number: UInt64, head: [UInt8]) throws(StoreError) -> any SegmentSealing
}

/// Seals and opens the segments of one body.
public protocol SegmentSealing: Sendable {
    /// The bytes that are written for a segment.
    func seal(_ segment: [UInt8], at place: SegmentPlace) throws(StoreError) -> [UInt8]

    /// The segment for which bytes were written.
    ///
    /// - Throws: `corrupt` for bytes that were not sealed for this body and place.
    func open(_ sealed: [UInt8], at place: SegmentPlace) throws(StoreError) -> [UInt8]
}

/// Where a segment is in its body.
public struct SegmentPlace: Sendable, Hashable {
    /// How many segments are before it.
    public let index: Int
    /// Whether none is after it.
    public let isLast: Bool

    /// A place.
    public init(_ index: Int, isLast: Bool) {
        self.index = index
        self.isLast = isLast
    }
}

/// Long bodies as they are, with a checksum for each segment: damage is noticed, and anybody can read them.
public struct ChecksummedBodies: BodySealing {
    /// Nothing.
    public var headBytes: Int { 0 }
    /// The checksum.
    public var overheadBytes: Int { 8 }

    /// It has no settings.
    public init() {}

    /// No head.
    public func begin(_ number: UInt64) -> (head: [UInt8], segments: any SegmentSealing) {
        ([], ChecksummedSegments(number: number))
    }

    /// The same for every head.
    public func resume(_ number: UInt64, head: [UInt8]) -> any SegmentSealing { ChecksummedSegments(number: number) }
}

private struct ChecksummedSegments: SegmentSealing {
    let number: UInt64

    func seal(_ segment: [UInt8], at place: SegmentPlace) -> [UInt8] {
        segment + withUnsafeBytes(of: checksum(segment[...], place).littleEndian) { Array($0) }
    }

    func open(_ sealed: [UInt8], at place: SegmentPlace) throws(StoreError) -> [UInt8] {
        let segment = sealed.dropLast(8)
        let found = sealed.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard sealed.count >= 8, found == checksum(segment, place) else {
            throw StoreError(.corrupt, "segment \(place.index) of body \(number) is not what was written")
        }
        return Array(segment)
    }

    private func checksum(_ segment: ArraySlice<UInt8>, _ place: SegmentPlace) -> UInt64 {
        var checksum = Checksum64()
        let head = [number, UInt64(place.index), place.isLast ? 1 : 0, UInt64(segment.count)].map(\.littleEndian)
        head.withUnsafeBytes { checksum.absorb($0) }
        segment.withUnsafeBytes { checksum.absorb($0) }
        return checksum.value
    }
}
