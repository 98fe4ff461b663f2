/// Records one client's operations on a thread: no lock, nothing shared, O(1) an operation.
///
/// Give each thread a recorder of its own with one common origin, and put what they recorded together at the end:
///
/// ```swift
/// let origin = ContinuousClock.now
/// // on the thread of client 3:
/// var recorder = HistoryRecorder(client: 3, since: origin, expecting: 10_000)
/// recorder.put(value, for: key) { cache.put(…) }
/// let seen = recorder.get(key) { cache.get(…).map(number) ?? 0 }
/// // after all threads have ended:
/// let report = try HistoryChecker(.evicting).check(History(recorded: recorders))
/// ```
///
/// Keys are numbers from 0, values numbers from 1. Give each put a value of its own, so that the check needs no search.
/// An operation that throws counts as pending: nobody knows what it did.
public struct HistoryRecorder: Sendable {
    /// The client's number.
    public let client: Int32
    private let origin: ContinuousClock.Instant
    private(set) var operations: [HistoryOperation] = []

    /// A recorder for a client, with room for so many operations before its buffer must grow.
    public init(client: Int32, since origin: ContinuousClock.Instant, expecting operations: Int = 1_024) {
        self.client = client
        self.origin = origin
        self.operations.reserveCapacity(operations)
    }

    /// Nanoseconds since the origin, on a clock that does not go back.
    private var now: Int64 {
        let (seconds, attoseconds) = origin.duration(to: .now).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Records an operation of any kind. The body returns the result: a value's number, ``HistoryOperation/yes``,
    /// ``HistoryOperation/no`` or ``HistoryOperation/unknown``.
    @discardableResult
    public mutating func record<Failure: Error>(
        _ kind: HistoryOperation.Kind, key: Int32, argument: Int32 = HistoryOperation.absent,
        expected: Int32 = HistoryOperation.absent, _ body: () throws(Failure) -> Int32
    ) throws(Failure) -> Int32 {
        let index = operations.count
        operations.append(
            HistoryOperation(
                kind, client: client, key: key, argument: argument, expected: expected, callTime: now,
                returnTime: HistoryOperation.never))
        let result = try body()
        operations[index].returnTime = now
        operations[index].result = result
        return result
    }

    /// Records a get. The body returns the number of the value that it found, 0 if there was none.
    @discardableResult
    public mutating func get<Failure: Error>(
        _ key: Int32, _ body: () throws(Failure) -> Int32
    ) throws(Failure) -> Int32 {
        try record(.get, key: key, body)
    }

    /// Records a put.
    public mutating func put<Failure: Error>(
        _ value: Int32, for key: Int32, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        try record(.put, key: key, argument: value) { () throws(Failure) in
            try body()
            return HistoryOperation.unknown
        }
    }

    /// Records that everything under these keys was removed by one call: a remove of each, with the same times.
    mutating func removeAll(of keys: Range<Int32>, _ body: () -> Void) {
        let callTime = now
        body()
        let returnTime = now
        for key in keys {
            operations.append(
                HistoryOperation(.remove, client: client, key: key, callTime: callTime, returnTime: returnTime))
        }
    }

    /// Records a remove. The body returns whether there was a value, nil if it cannot tell.
    public mutating func remove<Failure: Error>(
        _ key: Int32, _ body: () throws(Failure) -> Bool?
    ) throws(Failure) {
        try record(.remove, key: key) { () throws(Failure) in
            try body().map { $0 ? HistoryOperation.yes : HistoryOperation.no } ?? HistoryOperation.unknown
        }
    }
}

extension History {
    /// What clients recorded that ran at the same time with one common origin. O(n).
    public init(recorded recorders: [HistoryRecorder]) {
        self.init(recorders.flatMap(\.operations))
    }
}
