/// Why a backend could not do what it was asked.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, which callers may act on.
    public enum Code: String, Hashable, Sendable {
        /// The store was used after `close()`.
        case closed
        /// The key is longer than the claimed limit, or empty where that is not allowed.
        case keyRefused
        /// The value is longer than the claimed limit.
        case valueRefused
        /// No space is left where the store lives.
        case full
        /// What was read is not what was written.
        case corrupt
        /// The store's place cannot be used: missing, not writable, in use by another.
        case unavailable
        /// The store cannot do this, and its claims do not say that it can.
        case unsupported
        /// The process that has the store ended.
        case crashed
        /// The process that has the store did not answer in time.
        case hung
        /// Any other failure of reading or writing.
        case inputOutput
    }

    /// The kind of failure.
    public var code: Code
    /// What failed and what mends it.
    public var message: String
    /// The operating system's error number, if there was one.
    public var errno: Int32?

    /// A failure with a message that names the fix.
    public init(_ code: Code, _ message: String, errno: Int32? = nil) {
        self.code = code
        self.message = message
        self.errno = errno
    }

    /// The store was used after `close()`.
    public static var closed: StoreError { StoreError(.closed, "the store is closed; open it again to use it") }

    /// What the store cannot do and does not claim, for a reason such as "memcached cannot list its keys".
    public static func unsupported(_ reason: String) -> StoreError {
        StoreError(.unsupported, "\(reason); see the store's claims before asking")
    }

    /// `code: message`.
    public var description: String {
        errno.map { "\(code.rawValue): \(message) (errno \($0))" } ?? "\(code.rawValue): \(message)"
    }
}
