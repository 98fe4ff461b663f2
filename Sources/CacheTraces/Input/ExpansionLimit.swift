internal import CacheCore

/// How much a file may become while it is read, so that a small file fills neither memory nor disk.
///
/// A compressed file may become ``factor`` times its size, and any file ``factor`` requests a byte; what is small in itself, up to
/// 256 MiB and 2^25 requests, always may.
struct ExpansionLimit: Sendable {
    /// The standard factor. What programs record becomes three to twenty times its compressed size.
    static let standardFactor = 100
    /// The environment variable that says another.
    static let variable = "ASSAY_MAX_EXPANSION"

    var factor: Int
    /// What any compressed file may become, in bytes.
    var bytesAlways = 1 << 28
    /// The requests that any file may become.
    var requestsAlways = 1 << 25

    /// The limit that the environment says, or the standard one.
    ///
    /// - Throws: `AssayError` with code `usage` if the environment says something else than a number from 1.
    static func standard(
        environment: (String) -> String? = FileTree.environment
    ) throws(AssayError) -> ExpansionLimit {
        guard let text = environment(variable) else { return ExpansionLimit(factor: standardFactor) }
        guard let factor = Int(text), factor >= 1 else {
            throw AssayError(.usage, "\(variable) is '\(text)'; expected a whole number from 1.")
        }
        return ExpansionLimit(factor: factor)
    }

    /// The most bytes that a compressed file may become.
    func contentBytes(ofFileBytes bytes: Int) -> Int { max(bytesAlways, product(bytes)) }

    /// The most requests that a file may become.
    func requests(ofFileBytes bytes: Int) -> Int { max(requestsAlways, product(bytes)) }

    private func product(_ bytes: Int) -> Int {
        let (product, overflow) = bytes.multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }

    /// The error for a compressed file that becomes too much.
    static func tooManyBytes(_ limit: Int) -> AssayError {
        tooMuch("becomes more than \(limit) bytes when it is unpacked")
    }

    /// The error for a file that has too many requests for its size.
    static func tooManyRequests(_ limit: Int) -> AssayError { tooMuch("states more than \(limit) requests") }

    private static func tooMuch(_ what: String) -> AssayError {
        AssayError(
            .badInput,
            "The file \(what), far more than a recorded trace of its size. If it is meant, set the environment variable "
                + "\(variable) to more than \(standardFactor), the factor by which a file may grow while it is read.")
    }
}
