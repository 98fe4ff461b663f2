internal import CAssayPlugin
internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Text that comes from a plug-in: never read beyond a limit.
enum PluginText {
    /// The longest name, in bytes.
    private static let nameBytesMax = 64

    /// A text; nil if there is none, it is longer than the limit, or it is not UTF-8.
    static func read(_ text: UnsafePointer<CChar>?, atMost limit: Int = 1000) -> String? {
        guard let text else { return nil }
        let count = strnlen(text, limit + 1)
        guard count <= limit else { return nil }
        return String(
            validating: UnsafeRawBufferPointer(start: text, count: count).bindMemory(to: UInt8.self), as: UTF8.self)
    }

    /// What a name must be, for messages.
    static let nameRule =
        "Give it one of at most \(nameBytesMax) lower-case letters and digits, with - . _ + after the first."

    /// The name of a policy, backend or parameter; nil if it is none that could be written where these are named.
    static func name(_ text: UnsafePointer<CChar>?) -> String? {
        guard let name = read(text, atMost: nameBytesMax), name.isPluginName else { return nil }
        return name
    }

    /// The message of a failure, as one line; what is not UTF-8 is repaired.
    static func message(_ error: assay_error) -> String {
        let text = withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// A failure's code with its message, for people.
    static func words(_ status: assay_status, _ error: assay_error) -> String {
        let names = [
            ASSAY_FAILED: "failed", ASSAY_USAGE: "usage", ASSAY_NO_MEMORY: "no memory",
            ASSAY_INPUT_OUTPUT: "input or output", ASSAY_FULL: "full", ASSAY_CORRUPT: "corrupt",
            ASSAY_UNAVAILABLE: "unavailable", ASSAY_UNSUPPORTED: "unsupported",
        ]
        let code = names[status].map { "code \(status), \($0)" } ?? "code \(status), which is none of Assay's"
        let message = message(error)
        return message.isEmpty ? code : "\(code): \(message)"
    }
}
