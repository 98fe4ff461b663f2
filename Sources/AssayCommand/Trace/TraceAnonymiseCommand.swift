import ArgumentParser
import CacheCore
import CacheTraces
import Foundation

/// `assay trace anonymise`: writes a trace with keyed hashes in the place of keys and tenants.
struct TraceAnonymiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anonymise", abstract: "Write a trace with a keyed hash in the place of each key and tenant.",
        discussion: """
            The hash is HMAC-SHA-256 cut to 64 bits: without the secret nobody can try which key it was. The same secret gives the \
            same numbers in every trace. What remains is how often and when objects are requested, and, unless they are changed \
            too, sizes and times; times to live, costs and operations stay. Who knows those of the original may recognise objects.
            """)

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Argument(help: "The file to write.")
    var file: String

    @Option(
        help: ArgumentHelp("A file with the secret, any bytes, at least 16.", valueName: "path"), completion: .file())
    var secret: String?

    @Option(
        help: ArgumentHelp(
            "Make a secret and write it to this new file, which only this user can read.", valueName: "path"))
    var newSecret: String?

    @Flag(help: "Move all times by one amount, up to nine years, that the secret decides.")
    var moveTimes = false

    @Option(
        help: ArgumentHelp(
            "Change each object's sizes by a factor of its own, at most so much up or down, as 10%.", valueName: "share"
        ))
    var changeSizes: String?

    @OptionGroup var writing: TraceWritingOptions
    @OptionGroup var reading: TraceReadingOptions

    func validate() throws {
        guard (secret == nil) != (newSecret == nil) else {
            throw ValidationError("Give one of --secret and --new-secret.")
        }
    }

    func run() throws {
        _ = try writing.writer(for: file)
        let share = try changeSizes.map { try Selection.share($0) }
        let opened = try reading.open(trace).compiled
        if moveTimes, opened.timesNanoseconds == nil {
            Console.error("assay: the trace states no times, so that none is moved")
        }
        if share != nil, !opened.hasSizes {
            Console.error("assay: the trace states no sizes, so that none is changed")
        }
        var anonymiser = try Anonymiser(secret: readSecret())
        anonymiser.movesTimes = moveTimes
        anonymiser.sizeChange = share ?? 0
        let names = anonymiser.names(of: opened)
        let made = try reading.make("anonymise") { (builder) throws(AssayError) in
            try anonymiser.append(opened, names, to: &builder)
        }
        try writing.write(made, to: file)
        Console.error("assay: \(names.collisions) of \(opened.objects) objects collide with another.")
    }

    /// The secret of the file that was named, or a new one.
    private func readSecret() throws(AssayError) -> [UInt8] {
        if let secret { return try InputFile.read(secret, atMost: 1 << 16, "secret") }
        let path = newSecret ?? ""
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<4).map { _ in
            let word = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - word.count) + word
        }.joined()
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw AssayError(
                .inputOutput, "The file for the secret cannot be created; it may be there already.", at: .init(path),
                cause: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        let bytes = Array(digits.utf8)
        guard bytes.withUnsafeBytes({ Foundation.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw AssayError(
                .inputOutput, "The secret cannot be written.", at: .init(path), cause: String(cString: strerror(errno)))
        }
        return bytes
    }
}
