internal import CAssayPlugin
internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The parameters of a policy or backend of a plug-in.
struct PluginParameters: Sendable {
    /// What they are, in the order in which the plug-in describes them.
    let specifications: [ParameterSpecification]

    /// The most parameters of one policy or backend.
    private static let countMax: UInt64 = 64

    /// Reads the descriptions.
    ///
    /// - Parameter owner: What has the parameters, in messages.
    /// - Throws: `AssayError` with code `badInput` that names the parameter and what is wrong with it.
    init(_ start: UnsafePointer<assay_parameter>?, count: UInt64, of owner: String) throws(AssayError) {
        guard count <= Self.countMax else {
            throw AssayError(.badInput, "\(owner) has \(count) parameters, and at most \(Self.countMax) are read.")
        }
        guard count == 0 || start != nil else {
            throw AssayError(.badInput, "\(owner) says that it has \(count) parameters, and gives none.")
        }
        var read: [ParameterSpecification] = []
        for number in 0..<Int(count) {
            let specification = try Self.read(start![number], number + 1, owner)
            guard !read.contains(where: { $0.name == specification.name }) else {
                throw AssayError(.badInput, "\(owner) has two parameters '\(specification.name)'.")
            }
            read.append(specification)
        }
        specifications = read
    }

    private static func read(
        _ parameter: assay_parameter, _ number: Int, _ owner: String
    ) throws(AssayError) -> ParameterSpecification {
        guard let name = PluginText.name(parameter.name) else {
            throw AssayError(
                .badInput, "\(owner): parameter \(number) has no name that can be written. \(PluginText.nameRule)")
        }
        guard let summary = PluginText.read(parameter.summary) else {
            throw AssayError(.badInput, "\(owner): the parameter \(name) has no summary.")
        }
        guard let kind = kind(parameter) else {
            throw AssayError(
                .badInput,
                "\(owner): the parameter \(name) has no kind, an empty range, or a default that it does not accept.")
        }
        return ParameterSpecification(name, kind, summary)
    }

    /// The kind of a parameter; nil if it makes no sense.
    private static func kind(_ parameter: assay_parameter) -> ParameterSpecification.Kind? {
        let (least, most) = (parameter.least, parameter.most)
        guard let text = parameter.kind == ASSAY_FLAG ? "" : PluginText.read(parameter.initial) else { return nil }
        let isRange = least <= most && abs(least) <= 0x1p53 && abs(most) <= 0x1p53
        switch parameter.kind {
        case ASSAY_INTEGER:
            guard isRange, let initial = Int(text), let from = Int(exactly: least), let to = Int(exactly: most),
                (from...to).contains(initial)
            else { return nil }
            return .integer(default: initial, from...to)
        case ASSAY_NUMBER:
            guard isRange, let initial = Double(text), (least...most).contains(initial) else { return nil }
            return .number(default: initial, least...most)
        case ASSAY_CHOICE:
            let words = PluginText.read(parameter.choices)?.split(separator: ",").map(String.init) ?? []
            return words.contains(text) ? .choice(default: text, words) : nil
        case ASSAY_TEXT: return .text(default: text)
        case ASSAY_FLAG: return .flag
        default: return nil
        }
    }

    /// Calls `body` with the values as a plug-in gets them, which are there during the call.
    func withValues<Result>(_ values: ParameterValues, _ body: (UnsafePointer<assay_value>, Int) -> Result) -> Result {
        let all = specifications.map { specification in
            var value = assay_value(text: strdup(values.text(specification.name)), integer: 0, number: 0)
            switch specification.kind {
            case .integer:
                value.integer = Int64(values.integer(specification.name))
                value.number = Double(value.integer)
            case .number: value.number = values.number(specification.name)
            case .flag: value.integer = values.flag(specification.name) ? 1 : 0
            case .choice(_, let words):
                value.integer = Int64(words.firstIndex(of: values.text(specification.name)) ?? 0)
            case .text: break
            }
            return value
        }
        defer { for value in all { free(UnsafeMutablePointer(mutating: value.text)) } }
        // A plug-in without parameters gets a pointer that it may not read.
        return (all.isEmpty ? [assay_value()] : all).withUnsafeBufferPointer { body($0.baseAddress!, all.count) }
    }
}
