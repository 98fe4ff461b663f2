/// What is to be told of a trace beside its requests, cut to what the header of a compiled trace holds.
struct TraceNotes {
    private static let countMax = 12
    private static let bytesMax = 1800

    private var kept: [String] = []
    private var bytes = 0
    private var dropped = 0

    /// Adds a sentence. The header separates notes by tabs, and its lines by line feeds.
    mutating func append(_ text: String) {
        let line = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        guard kept.count < Self.countMax, bytes + line.utf8.count <= Self.bytesMax else {
            dropped += 1
            return
        }
        kept.append(line)
        bytes += line.utf8.count
    }

    /// The sentences, with one that counts what did not fit.
    var texts: [String] { dropped == 0 ? kept : kept + ["There are \(dropped) more notes, which are not kept."] }
}
