internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// An open cache of a system that keeps bytes for the shared checks: what every system answers in the same way.
protocol SystemBytes: CacheInstance {
    /// Its clock, and whether it is closed.
    var gate: SystemGate { get }
    /// Does what is the system's own; what it throws is the answer.
    func ask(_ operation: CacheOperation) throws -> OperationResult
    /// Closes the cache.
    func closeCache() throws
}

/// The clock of an open cache of a system, and whether it is closed.
final class SystemGate: Sendable {
    /// The longest key: systems take keys of any length, and the suite wants a limit that it can try with little memory.
    static let keyBytesMax = 20_000
    /// The longest value, likewise.
    static let valueBytesMax = 1 << 20

    let clock: VirtualClock
    fileprivate let isClosed = Atomic(false)

    init(_ clock: VirtualClock) { self.clock = clock }

    /// - Throws: `valueRefused` for a value that is longer than the limit.
    static func requireShort(_ value: [UInt8]) throws(StoreError) {
        guard value.count <= valueBytesMax else {
            throw StoreError(.valueRefused, "the subject takes values up to \(valueBytesMax) bytes")
        }
    }
}

/// Spells keys of bytes as text, each byte in its own way.
enum KeyText {
    /// ASCII as it is, so that "/" and ".." reach the names of files; other bytes in the area for private use.
    static func text(of key: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for byte in key { text.append(Unicode.Scalar(byte < 0x80 ? UInt16(byte) : 0xE000 + UInt16(byte))!) }
        return String(text)
    }

    /// The bytes that a text spells.
    static func bytes(of text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}

/// What the loader of a subject throws for an origin that has no value.
struct NoValue: Error {}

extension SystemBytes {
    func perform(_ operation: CacheOperation) -> OperationResult {
        do {
            if operation == .close {
                gate.isClosed.store(true, ordering: .releasing)
                try closeCache()
                return .done
            }
            if gate.isClosed.load(ordering: .acquiring) { throw StoreError.closed }
            if let key = operation.key, key.count > SystemGate.keyBytesMax {
                throw StoreError(.keyRefused, "the subject takes keys up to \(SystemGate.keyBytesMax) bytes")
            }
            switch operation {
            case .advance(let time): gate.clock.advance(nanoseconds: time)
            case .moveWallClock(let time): gate.clock.setWall(nanoseconds: gate.clock.wallNanoseconds() + time)
            case .pause: break
            default: return try ask(operation)
            }
            return .done
        } catch let error as StoreError {
            return .failure(error)
        } catch CacheError.closed {
            return .failure(.closed)
        } catch { return .failure(StoreError(.inputOutput, "\(error)")) }
    }

    /// Answers a load: `read` is given a loader that asks the origin, and returns the bytes that the cache gives.
    func load(
        _ key: [UInt8], _ origin: Origin, _ read: (() throws -> [UInt8]) throws -> [UInt8]
    ) throws -> OperationResult {
        let calls = EventCounter()
        do {
            let value = try read {
                calls.add()
                guard let bytes = try origin.fetch(key, for: self) else { throw NoValue() }
                return bytes
            }
            return .loaded(.value(StoredEntry(value)), calls: calls.count)
        } catch is NoValue {
            return .loaded(.nothing, calls: calls.count)
        } catch CacheError.closed where calls.count == 0 {
            throw StoreError.closed
        } catch { return .loaded(.failed, calls: calls.count) }
    }
}
