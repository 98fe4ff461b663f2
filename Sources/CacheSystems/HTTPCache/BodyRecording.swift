internal import Synchronization

/// A body that comes from an origin: one writes it down, and any number read it as it grows.
///
/// Readers are as fast as they like: what they have not read lies in the file, and a short body in memory.
final class BodyRecording: Sendable {
    struct State {
        /// The bytes that are in memory: all as long as they are few, and the last piece of a body that is passed on.
        var bytes: [UInt8] = []
        /// Where they begin. What lies before is not to be had any more.
        var start = 0
        var file: BodyFile?
        var length = 0
        var end: Result<Void, any Error>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The one who writes, while it waits for readers.
        var writer: CheckedContinuation<Void, Never>?
        var lastNumber = 0
        /// How far each reader is, by its number.
        var places: [Int: Int] = [:]
        /// The last reader has left before all had come: nobody can join any more.
        var isAbandoned = false
        /// Called when nobody reads any more.
        var onAbandoned: (@Sendable () -> Void)?

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// A place among the readers. Keeps a recording going as long as somebody holds it.
    final class Reader: Sendable {
        let recording: BodyRecording
        private let number: Int

        fileprivate init(_ recording: BodyRecording, _ number: Int) {
            self.recording = recording
            self.number = number
        }

        deinit { recording.leave(number) }

        /// A place of its own at the beginning; this one if there is nothing to be had there any more.
        func another() -> Reader { recording.join() ?? self }

        /// The bytes from a place on, as soon as there are some, at most up to another place; nil at the end.
        func next(from offset: Int, to end: Int) async throws -> [UInt8]? {
            let chunk = try await recording.next(from: offset, to: end)
            if let chunk { recording.advance(number, to: offset + chunk.count) }
            return chunk
        }
    }

    /// The length that its header names.
    let expectedLength: Int?
    let state = Mutex(State())

    init(expectedLength: Int?) { self.expectedLength = expectedLength }

    // MARK: Writing, by one task

    var length: Int { state.withLock { $0.length } }

    /// The bytes, if they are in memory.
    var bytes: [UInt8]? { state.withLock { $0.file == nil ? $0.bytes : nil } }

    /// Adds a piece. When there are more bytes than memory is to hold, they go to a file, if one can be made.
    func append(_ chunk: [UInt8], inMemoryMax: Int, makeFile: () throws -> BodyFile?) throws {
        var (file, early, length) = state.withLock { ($0.file, $0.bytes, $0.length) }
        if file == nil, length + chunk.count > inMemoryMax, let made = try makeFile() {
            try made.append(early)
            file = made
        }
        try file?.append(chunk)
        early = []
        length += chunk.count
        wake { state in
            if let file {
                state.file = file
                state.bytes = []
            } else {
                state.bytes += chunk
            }
            state.length = length
        }
    }

    /// Writes down what is left of a body that has come whole.
    func complete() throws { try state.withLock { $0.file }?.finish() }

    /// Says that no more comes.
    func finish(_ end: Result<Void, any Error>) {
        wake { state in
            if state.end == nil { state.end = end }
            state.onAbandoned = nil
        }
    }

    func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Calls a function when the last reader has left before all had come.
    func whenAbandoned(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onAbandoned = body } }

    // MARK: Reading, by many

    /// A place among the readers; nil if all have left it before its end, or what it began with is gone.
    func join() -> Reader? {
        let number = state.withLock { state -> Int? in
            guard !state.isAbandoned, state.start == 0 else { return nil }
            let number = state.nextNumber()
            state.places[number] = 0
            return number
        }
        return number.map { Reader(self, $0) }
    }

    private func leave(_ number: Int) {
        let (writer, onAbandoned) = state.withLock { state in
            let writer = state.writer.take()
            // Of what has come whole only the end is awaited: whoever closes at the last byte costs nobody the answer.
            guard state.places.removeValue(forKey: number) != nil, state.places.isEmpty, state.end == nil,
                state.length != expectedLength
            else {
                return (writer, Optional<@Sendable () -> Void>.none)
            }
            state.isAbandoned = true
            return (writer, state.onAbandoned)
        }
        writer?.resume()
        onAbandoned?()
    }

    /// Notes how far a reader is: that of several bodies which is furthest counts.
    private func advance(_ number: Int, to offset: Int) {
        let writer = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let place = state.places[number], place < offset else { return nil }
            state.places[number] = offset
            return offset < state.length ? nil : state.writer.take()
        }
        writer?.resume()
    }

    private func next(from offset: Int, to end: Int) async throws -> [UInt8]? {
        while offset < end {
            let (file, bytes, start, length, outcome) = state.withLock {
                ($0.file, $0.bytes, $0.start, $0.length, $0.end)
            }
            if offset < start { throw HTTPCacheError.leftBehind }
            if case .failure(let error) = outcome { throw error }
            if length > offset {
                let last = min(length, end, offset + BodyFile.segmentBytes)
                guard let file else { return Array(bytes[(offset - start)..<(last - start)]) }
                return try file.read(at: offset, count: last - offset)
            }
            if outcome != nil { return nil }
            await wait(past: offset)
            try Task.checkCancellation()
        }
        // The end of a part says nothing of the rest; that of the whole waits until it is stored.
        return nil
    }

    /// Waits until there are more bytes, or the end, or the task is cancelled: an origin may be silent for long.
    private func wait(past offset: Int) async {
        let number = state.withLock { $0.nextNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.length <= offset, state.end == nil, !Task.isCancelled else { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
