internal import CacheCore
internal import Synchronization

/// The file of a long body, closed with its last reader: a head, and segments that are sealed one by one.
///
/// One may write it while others read what has come. The last of what has come is in memory until more follows it, because the last
/// segment of all is sealed as such.
final class BodyFile: Sendable {
    /// The bytes of a segment before it is sealed; the last one may have fewer.
    static let segmentBytes = 64 << 10

    private struct State {
        /// How many segments are in the file.
        var written = 0
        /// What is not in the file yet: never more than a segment.
        var pending: [UInt8] = []
        var isWhole = false
        /// The segment that was opened last.
        var opened: (index: Int, segment: [UInt8])?
    }

    private let descriptor: Int32
    private let path: [CChar]
    private let sealing: any BodySealing
    private let segments: any SegmentSealing
    private let onDamage: @Sendable () -> Void
    private let state: Mutex<State>

    /// Makes the file of a body that comes.
    init(creating number: UInt64, _ path: [CChar], _ sealing: any BodySealing) throws(StoreError) {
        let (head, segments) = try sealing.begin(number)
        descriptor = try FileSystem.openForUpdating(path)
        self.path = path
        self.sealing = sealing
        self.segments = segments
        onDamage = {}
        state = Mutex(State())
        try write(head, at: 0)
    }

    /// Opens the file of a body that is whole; nil if there is none.
    ///
    /// - Throws: `corrupt` for a file of another length, or whose head or first segment is damaged.
    init?(
        opening number: UInt64, _ path: [CChar], _ sealing: any BodySealing, length: Int,
        onDamage: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        guard let descriptor = try FileSystem.openForReading(path) else { return nil }
        let count = max(1, (length + Self.segmentBytes - 1) / Self.segmentBytes)
        var head: [UInt8] = []
        let segments: any SegmentSealing
        do throws(StoreError) {
            let size = try FileSystem.size(descriptor, path: path)
            guard size == sealing.headBytes + length + count * sealing.overheadBytes else {
                throw StoreError(.corrupt, "the file of body \(number) has \(size) bytes and not those it had")
            }
            head = try Self.read(descriptor, path, at: 0, count: sealing.headBytes)
            segments = try sealing.resume(number, head: head)
        } catch {
            FileSystem.closeFile(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
        self.sealing = sealing
        self.segments = segments
        self.onDamage = onDamage
        state = Mutex(State(written: count, isWhole: true))
        let first = try open(SegmentPlace(0, isLast: count == 1))
        state.withLock { $0.opened = (0, first) }
    }

    deinit { FileSystem.closeFile(descriptor) }

    // MARK: Writing, by one task

    /// Adds bytes to the end.
    func append(_ bytes: [UInt8]) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let full = state.withLock { state -> [UInt8]? in
                let room = Self.segmentBytes - state.pending.count
                guard room > 0 else { return state.pending }
                state.pending += rest.prefix(room)
                rest = rest.dropFirst(room)
                return nil
            }
            if let full { try write(segment: full, isLast: false) }
        }
    }

    /// Writes what is left, as the last segment.
    func finish() throws(StoreError) { try write(segment: state.withLock { $0.pending }, isLast: true) }

    private func write(segment: [UInt8], isLast: Bool) throws(StoreError) {
        let index = state.withLock { $0.written }
        try write(segments.seal(segment, at: SegmentPlace(index, isLast: isLast)), at: position(of: index))
        state.withLock { state in
            state.written += 1
            state.pending = []
            state.isWhole = isLast
        }
    }

    private func write(_ bytes: [UInt8], at position: Int) throws(StoreError) {
        let outcome = bytes.withUnsafeBytes { buffer in
            Result { () throws(StoreError) in
                try FileSystem.write(descriptor, at: position, buffer, path: path)
            }
        }
        try outcome.get()
    }

    // MARK: Reading, by many

    /// Some bytes from a place on, at least one and at most so many; there must be one.
    ///
    /// - Throws: ``HTTPCacheError/damaged`` where they are not what was written, and `StoreError`.
    func read(at offset: Int, count: Int) throws -> [UInt8] {
        let (index, start) = offset.quotientAndRemainder(dividingBy: Self.segmentBytes)
        let segment = try segment(index)
        guard start < segment.count else { throw damage() }
        let end = min(segment.count, start + min(count, Self.segmentBytes))
        return start == 0 && end == segment.count ? segment : Array(segment[start..<end])
    }

    private func segment(_ index: Int) throws -> [UInt8] {
        let (known, isLast) = state.withLock { state -> ([UInt8]?, Bool) in
            if index >= state.written { return (state.pending, false) }
            let opened = state.opened.flatMap { $0.index == index ? $0.segment : nil }
            return (opened, state.isWhole && index == state.written - 1)
        }
        if let known { return known }
        do throws(StoreError) {
            let segment = try open(SegmentPlace(index, isLast: isLast))
            state.withLock { $0.opened = (index, segment) }
            return segment
        } catch {
            throw error.code == .corrupt ? damage() : error
        }
    }

    private func damage() -> any Error {
        onDamage()
        return HTTPCacheError.damaged
    }

    private func open(_ place: SegmentPlace) throws(StoreError) -> [UInt8] {
        let count = Self.segmentBytes + sealing.overheadBytes
        return try segments.open(Self.read(descriptor, path, at: position(of: place.index), count: count), at: place)
    }

    private func position(of index: Int) -> Int {
        sealing.headBytes + index * (Self.segmentBytes + sealing.overheadBytes)
    }

    private static func read(
        _ descriptor: Int32, _ path: [CChar], at position: Int, count: Int
    ) throws(StoreError) -> [UInt8] {
        var failure: StoreError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(StoreError) {
                filled = try FileSystem.read(
                    descriptor, at: position, into: UnsafeMutableRawBufferPointer(buffer), path: path)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }
}
