public import CacheCore

/// Memory accesses as valgrind's tool lackey prints them with `--trace-mem=yes`: ` L 1fff000688,8`.
///
/// A request is a cache line of `line` bytes that an access touches, so that one access may be two requests. Loads, stores and modifies
/// are requests, and with `kinds=ILSM` instructions are too. A modify loads and stores at once: it is one read, as its store always finds
/// what it loaded. Valgrind's own lines, `==1234== …`, are passed over.
public struct LackeyTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "lackey",
        summary: "valgrind --tool=lackey --trace-mem=yes: each cache line that an access touches is a request.",
        citation: "valgrind's manual, Lackey",
        parameters: [
            ParameterSpecification(
                "line", .integer(default: 64, 1...1 << 20), "The bytes of a cache line; 1 for addresses."),
            ParameterSpecification(
                "kinds", .text(default: "LSM"),
                "Which accesses are requests: letters of I (instructions), L (loads), S (stores), M (modifies)."),
        ],
        fileExtensions: ["lackey"])

    /// A program that is ended leaves a line that is cut off.
    public static let isLog = true

    private static let kinds: [UInt8] = Array("ILSM".utf8)
    private let lineBytes: UInt64
    private let chosen: [UInt8]

    /// Takes the parameters.
    ///
    /// - Throws: `AssayError` with code `usage` for kinds that are none.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        lineBytes = UInt64(parameters.integer("line"))
        chosen = Array(parameters.text("kinds").uppercased().utf8)
        guard !chosen.isEmpty, chosen.allSatisfy(Self.kinds.contains) else {
            throw AssayError(
                .usage,
                "lackey: kinds=\(parameters.text("kinds")) is not made of the letters I, L, S and M. Write kinds=LSM.")
        }
    }

    /// Lines of accesses beside valgrind's own tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard sample.lines.contains(where: { access($0) != nil }) else { return nil }
        return sample.areLines { access($0) != nil || isMessage($0) } ? Recognition(.certain) : nil
    }

    /// Reads one line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard let access = Self.access(line) else {
            guard Self.isMessage(line) else {
                throw LineFault(expected: "an access like ' L 1fff000688,8', or a line of valgrind's like '==1234== …'")
            }
            return requests.passOver("valgrind's messages")
        }
        guard chosen.contains(access.kind) else {
            return requests.passOver(access.kind == Self.kinds[0] ? "instructions" : "accesses of other kinds")
        }
        try requests.appendBlocks(
            offsetBytes: access.address, lengthBytes: access.bytes, blockBytes: lineBytes,
            RequestAttributes(operation: access.kind == Self.kinds[2] ? .write : .read))
    }

    /// The access of a line: `I  04016b80,3`, ` L 1ffefffe7c,8`.
    private static func access(
        _ line: UnsafeRawBufferPointer
    ) -> (kind: UInt8, address: UInt64, bytes: UInt64)? {
        guard line.count >= 6, line[2] == 0x20 else { return nil }
        let isInstruction = line[0] == kinds[0] && line[1] == 0x20
        guard isInstruction || line[0] == 0x20 && kinds[1...].contains(line[1]) else { return nil }
        let rest = line.dropFirst(3)
        guard let comma = rest.firstIndex(of: 0x2c),
            let address = Fields.hexadecimalDigits(UnsafeRawBufferPointer(rebasing: rest[..<comma])),
            let bytes = Fields.integer(UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...]))
        else { return nil }
        return (isInstruction ? kinds[0] : line[1], address, bytes)
    }

    /// Whether a line is valgrind's, or begins one of lackey's superblocks.
    private static func isMessage(_ line: UnsafeRawBufferPointer) -> Bool {
        if line.starts(with: "SB ".utf8) { return true }
        guard line.count > 4, line[0] == 0x3d || line[0] == 0x2d, line[1] == line[0] else { return false }
        let digits = line.dropFirst(2).prefix { $0 &- 0x30 <= 9 }
        let rest = line[digits.endIndex...]
        return !digits.isEmpty && rest.starts(with: [line[0], line[0]])
    }
}
