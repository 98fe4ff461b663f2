internal import CacheCore

/// The requests of one block.
struct RecordedFields {
    struct Request {
        var key: UInt64
        var attributes: RequestAttributes
        var outcome: UInt8
        var tenant: UInt64?
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// The next request, nil if it is malformed. Moves the time, in microseconds, on to it.
    mutating func next(_ time: inout UInt64, hasTenant: Bool) -> Request? {
        guard position < bytes.count else { return nil }
        let flags = bytes[position]
        position += 1
        let outcome = flags >> 2 & 7
        guard let operation = TraceOperation(rawValue: flags & 3), outcome <= 4, flags < 0x80, let step = varint()
        else { return nil }
        let (now, overflow) = time.addingReportingOverflow(step)
        guard !overflow, now <= UInt64(Int64.max) / 1000, bytes.count - position >= 8 else { return nil }
        time = now
        let key = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        position += 8
        // The size of 0 stands for one that is not known, as elsewhere.
        var attributes = RequestAttributes(
            sizeBytes: 0, timeNanoseconds: Int64(now) * 1000, operation: operation)
        if flags & 0x20 != 0 {
            guard let size = varint() else { return nil }
            attributes.sizeBytes = size
        }
        if flags & 0x40 != 0 {
            guard let milliseconds = varint(), milliseconds > 0, milliseconds < 1 << 40 else { return nil }
            attributes.timeToLiveNanoseconds = Int64(milliseconds) * 1_000_000
        }
        var tenant: UInt64?
        if hasTenant {
            guard let number = varint(), number <= UInt16.max else { return nil }
            tenant = number
        }
        return Request(key: key, attributes: attributes, outcome: outcome, tenant: tenant)
    }

    /// A number in groups of 7 bits, the lowest first.
    private mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            let group = UInt64(byte & 0x7f)
            guard (group << shift) >> shift == group else { return nil }
            number |= group << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}

/// Gives requests whose size was not known the size that the next request for the same key states: a read that misses knows none, and the
/// write that follows does.
///
/// Requests wait until so many have come after them, in order. Memory: about 100 bytes for each that waits.
struct UnknownSizes {
    /// The most requests that wait.
    static let requestsMax = 1 << 16

    private var waiting: [RecordedFields.Request] = []
    /// The numbers of the requests: of the first that waits, and of the next one to come.
    private var first = 0
    private var next = 0
    /// The last request for a key that waits for its size.
    private var unknown: [UInt64: Int] = [:]
    /// For each place, the request before of the same key that waits for its size; -1 for none.
    private var before: [Int] = []

    /// Takes a request, and returns the one that has waited long enough.
    mutating func exchange(_ request: RecordedFields.Request) -> RecordedFields.Request? {
        var link = -1
        if request.attributes.sizeBytes == 0 {
            link = unknown.updateValue(next, forKey: request.key) ?? -1
        } else if var earlier = unknown.removeValue(forKey: request.key) {
            while earlier >= first {
                waiting[earlier % Self.requestsMax].attributes.sizeBytes = request.attributes.sizeBytes
                earlier = before[earlier % Self.requestsMax]
            }
        }
        let leaving = next - first == Self.requestsMax ? removeFirst() : nil
        let place = next % Self.requestsMax
        if place == waiting.count {
            waiting.append(request)
            before.append(link)
        } else {
            waiting[place] = request
            before[place] = link
        }
        next += 1
        return leaving
    }

    /// Takes out the first that waits, nil if none does.
    mutating func removeFirst() -> RecordedFields.Request? {
        guard first < next else { return nil }
        let request = waiting[first % Self.requestsMax]
        if unknown[request.key] == first { unknown[request.key] = nil }
        first += 1
        return request
    }
}
