internal import Synchronization

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
            // Whoever shares this answer is as far as it is.
            let own = reader.another()
            return HTTPBody(length: count) {
                let cursor = BodyCursor(part?.lowerBound ?? 0)
                return {
                    let end = part?.upperBound ?? .max
                    // As long as the reader is held, somebody reads.
                    let chunk = try await own.next(from: cursor.position, to: end)
                    cursor.move(by: chunk?.count ?? 0)
                    return chunk
                }
            }
        }
    }
}
