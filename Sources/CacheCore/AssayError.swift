/// The one error type that Assay's public interfaces throw.
///
/// The message says what is wrong and how to mend it; the location says where. A code maps to one exit status, after
/// `sysexits.h` from 64 on.
public struct AssayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure this is, and so which exit status it ends with.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// A defect of Assay itself.
        case internalError = "internal"
        /// A measured subject broke its contract: wrong bytes, a failed check, a regression.
        case verdict
        /// A subject crashed or did not answer before its deadline.
        case crashed
        /// A baseline that was asked for is not there.
        case baselineMissing
        /// No verdict was reached, and the caller asked for one.
        case undecided
        /// The command line asks for something that does not exist or does not go together.
        case usage
        /// Input that cannot be understood: a trace, a workload, a result file.
        case badInput
        /// Something that is needed is not available on this machine.
        case unavailable
        /// Reading or writing failed.
        case inputOutput

        /// The exit status of a process that ends with this error.
        public var exitStatus: Int32 {
            switch self {
            case .internalError: 1
            case .verdict: 2
            case .crashed: 3
            case .baselineMissing: 5
            case .undecided: 6
            case .usage: 64
            case .badInput: 65
            case .unavailable: 69
            case .inputOutput: 74
            }
        }
    }

    /// A place in a file or in the arguments.
    public struct Location: Hashable, Sendable, CustomStringConvertible {
        /// The file, or the option's name.
        public var source: String
        /// The line in a text, from 1.
        public var line: Int?
        /// The offset in a binary input, in bytes after decompression, from 0.
        public var offsetBytes: Int?

        /// A place in `source`, at a line of a text or at an offset of a binary file.
        public init(_ source: String, line: Int? = nil, offsetBytes: Int? = nil) {
            self.source = source
            self.line = line
            self.offsetBytes = offsetBytes
        }

        /// `source:line`, or `source at byte offset`.
        public var description: String {
            if let line { return "\(source):\(line)" }
            if let offsetBytes { return "\(source) at byte \(offsetBytes)" }
            return source
        }
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong and what mends it, as one or two sentences.
    public var message: String
    /// Where it is wrong, if it has a place.
    public var location: Location?
    /// The underlying failure's own words.
    public var cause: String?
    /// The failure of a store that this one comes from, if it does.
    public private(set) var storage: StoreError?

    /// An error with a code and a message that names the fix.
    public init(_ code: Code, _ message: String, at location: Location? = nil, cause: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    /// An error that comes from a store's failure, which is its cause.
    public init(_ code: Code, _ message: String, at location: Location? = nil, cause: StoreError) {
        self.init(code, message, at: location, cause: cause.description)
        storage = cause
    }

    /// `location: message (cause)`.
    public var description: String {
        var text = location.map { "\($0): " } ?? ""
        text += message
        if let cause { text += " (\(cause))" }
        return text
    }

    /// The same error with a location, if it had none.
    public func located(at location: Location) -> AssayError {
        var copy = self
        copy.location = self.location ?? location
        return copy
    }
}
