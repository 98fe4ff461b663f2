internal import Synchronization

/// A body that comes from an origin: one writes it down, and any number read it as it grows.
///
/// Readers are as fast as they like: what they have not read lies in the file, and a short body in memory.
final class BodyRecording: Sendable {
    private struct State {
        /// The bytes, as long as they are few.
        var bytes: [UInt8] = []
        var file: BodyFile?
        var length = 0
        var end: Result<Void, any Error>?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        var readers = 0
        /// The last reader has left before the end: nobody can join any more.
        var isAbandoned = false
        /// Called when nobody reads any more.
        var onAbandoned: (@Sendable () -> Void)?
    }

    /// Keeps a recording going as long as somebody holds it.
    final class Reader: Sendable {
        let recording: BodyRecording

        fileprivate init(_ recording: BodyRecording) { self.recording = recording }

        deinit { recording.leave() }
    }

    /// The length that its header names.
    let expectedLength: Int?
    private let state = Mutex(State())

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

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Calls a function when the last reader has left before the end.
    func whenAbandoned(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onAbandoned = body } }

    // MARK: Reading, by many

    /// A place among the readers; nil if all have left it before its end.
    func join() -> Reader? {
        let isThere = state.withLock { state in
            if !state.isAbandoned { state.readers += 1 }
            return !state.isAbandoned
        }
        return isThere ? Reader(self) : nil
    }

    private func leave() {
        let onAbandoned = state.withLock { state -> (@Sendable () -> Void)? in
            state.readers -= 1
            guard state.readers == 0, state.end == nil else { return nil }
            state.isAbandoned = true
            return state.onAbandoned
        }
        onAbandoned?()
    }

    /// The bytes from a place on, as soon as there are some, at most up to another place; nil at the end.
    func next(from offset: Int, to end: Int) async throws -> [UInt8]? {
        while offset < end {
            let (file, bytes, length, outcome) = state.withLock { ($0.file, $0.bytes, $0.length, $0.end) }
            if case .failure(let error) = outcome { throw error }
            if length > offset {
                let last = min(length, end, offset + BodyFile.segmentBytes)
                guard let file else { return Array(bytes[offset..<last]) }
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
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
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

/// A place in a body, which one reader moves on.
final class BodyCursor: Sendable {
    private let offset: Mutex<Int>

    init(_ offset: Int) { self.offset = Mutex(offset) }

    var position: Int { offset.withLock { $0 } }
    func move(by count: Int) { offset.withLock { $0 += count } }
}

/// Something that is given once.
final class OneTime<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value?) { self.value = Mutex(value) }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// Where the body of an answer comes from that is served.
enum BodySource: Sendable {
    case bytes([UInt8])
    case file(BodyFile, length: Int)
    case recording(BodyRecording.Reader)

    /// The length, if it is known.
    var length: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let length): length
        case .recording(let reader): reader.recording.expectedLength
        }
    }

    /// A part of the body, or all of it.
    func body(_ part: Range<Int>? = nil) -> HTTPBody {
        let count = part?.count ?? length
        switch self {
        case .bytes(let bytes): return HTTPBody(part.map { Array(bytes[$0]) } ?? bytes)
        case .file(let file, let length):
            let range = part ?? 0..<length
            return HTTPBody(length: count) {
                let cursor = BodyCursor(range.lowerBound)
                return {
                    let offset = cursor.position
                    guard offset < range.upperBound else { return nil }
                    let chunk = try file.read(at: offset, count: range.upperBound - offset)
                    cursor.move(by: chunk.count)
                    return chunk
                }
            }
        case .recording(let reader):
            return HTTPBody(length: count) {
                let cursor = BodyCursor(part?.lowerBound ?? 0)
                return {
                    let end = part?.upperBound ?? .max
                    // As long as the reader is held, somebody reads.
                    let chunk = try await reader.recording.next(from: cursor.position, to: end)
                    cursor.move(by: chunk?.count ?? 0)
                    return chunk
                }
            }
        }
    }
}
