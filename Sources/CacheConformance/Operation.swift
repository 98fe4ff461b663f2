public import CacheCore

/// One step of a program that drives a storage backend.
public enum Operation: Hashable, Sendable {
    /// Stores a value, perhaps with the moment when it stops being valid.
    case put([UInt8], Payload, expiresAtNanoseconds: Int64? = nil)
    /// Reads the entry under a key.
    case get([UInt8])
    /// Asks whether there is an entry under a key.
    case contains([UInt8])
    /// Removes the entry under a key.
    case remove([UInt8])
    /// Removes every entry.
    case removeAll
    /// Asks for the number of entries.
    case count
    /// Asks for every key.
    case keys
    /// Makes everything acknowledged durable.
    case flush
    /// Closes the store; only `close` and `reopen` may follow.
    case close
    /// Closes the store and opens it again in the same directory.
    case reopen
    /// Closes the store, renames its directory and opens it there.
    case relocate
    /// Lets go of the store without closing it and opens it again.
    case abandon

    /// The key that the operation names, if it names one.
    public var key: [UInt8]? {
        switch self {
        case .put(let key, _, _), .get(let key), .contains(let key), .remove(let key): key
        default: nil
        }
    }

    /// Whether the operation may follow `close`.
    var isLifeCycle: Bool {
        switch self {
        case .close, .reopen, .relocate, .abandon: true
        default: false
        }
    }

    /// The same operation on another key.
    func replacingKey(_ new: [UInt8]) -> Operation {
        switch self {
        case .put(_, let payload, let expiry): .put(new, payload, expiresAtNanoseconds: expiry)
        case .get: .get(new)
        case .contains: .contains(new)
        case .remove: .remove(new)
        default: self
        }
    }
}

/// What an operation answered.
public enum OperationResult: Hashable, Sendable {
    /// It returned without a value.
    case done
    /// It returned an entry, or none.
    case entry(StoredEntry?)
    /// It returned yes or no.
    case flag(Bool)
    /// It returned a number.
    case number(Int)
    /// It returned keys.
    case keys([[UInt8]])
    /// It threw.
    case failure(StorageError)

    /// Whether the answer shows that something was stored.
    var isHit: Bool {
        switch self {
        case .entry(.some), .flag(true): true
        default: false
        }
    }
}

/// A sequence of operations on a store that is opened empty before the first.
public struct Program: Hashable, Sendable {
    /// The operations, in order.
    public var operations: [Operation]

    /// A program of these operations.
    public init(_ operations: [Operation]) { self.operations = operations }

    /// The distinct keys, in order of first use.
    var keys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return operations.compactMap(\.key).filter { seen.insert($0).inserted }
    }
}
