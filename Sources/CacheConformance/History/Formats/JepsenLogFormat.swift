internal import CacheCore

/// Jepsen's console log of one register, as its etcd tests print it: read, write and compare-and-set.
///
/// `INFO  jepsen.util - 3	:ok	:cas	[3 0]`. Other lines of the log are passed over. A comparison that fails with its two values
/// found another value; one that failed for another reason, and a failed read or write, did not happen.
enum JepsenLogFormat {
    static let format = HistoryFormat(
        name: "Jepsen log", summary: "lines such as INFO jepsen.util - 3 :invoke :write 4",
        recognises: { bytes in
            bytes.prefix(65_536).split(separator: UInt8(ascii: "\n")).contains {
                String(decoding: $0, as: UTF8.self).contains(marker)
            }
        },
        read: { (bytes, source) throws(AssayError) in
            var builder = HistoryBuilder(source: source)
            var scanner = TextScanner(bytes, source: source)
            let register = builder.keys.number(of: "")
            while scanner.byte != nil {
                let line = scanner.line
                let text = scanner.take { $0 != UInt8(ascii: "\n") }.text
                if scanner.byte != nil { scanner.advance() }
                guard let range = text.firstRange(of: marker) else { continue }
                let fields = text[range.upperBound...].split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
                guard let first = fields.first, !first.hasPrefix(":") else { continue }
                guard var entry = try entry(fields, &builder.values, .init(source, line: line)) else { continue }
                entry.key = register
                try builder.add(entry, line: line)
            }
            return builder.history()
        })

    private static let marker = "jepsen.util - "

    /// The entry of a line's fields; nil if they are no operation.
    private static func entry(
        _ fields: [String], _ values: inout NameTable, _ place: AssayError.Location
    ) throws(AssayError) -> HistoryBuilder.Entry? {
        guard let process = Int(fields[0]) else { return nil }
        guard fields.count >= 4 else {
            throw AssayError(
                .badInput, "A line has a process, a type, an operation and a value; this is cut short.", at: place)
        }
        let stages: [String: HistoryBuilder.Entry.Stage] = [
            ":invoke": .invoke, ":ok": .ok, ":fail": .fail, ":info": .info,
        ]
        guard let stage = stages[fields[1]] else {
            throw AssayError(
                .badInput, "There is no type '\(fields[1])'. Types are :invoke, :ok, :fail and :info.", at: place)
        }
        guard fields[2].hasPrefix(":"), let kind = HistoryOperation.Kind.named[String(fields[2].dropFirst())],
            [.get, .put, .compareAndSet].contains(kind)
        else {
            throw AssayError(
                .badInput, "There is no operation '\(fields[2])'. Operations are :read, :write and :cas.", at: place)
        }
        var entry = HistoryBuilder.Entry(process: process, stage: stage, kind: kind)
        func number(_ text: some StringProtocol) -> Int32 {
            text == "nil" ? HistoryOperation.absent : values.number(of: String(text))
        }
        switch (stage, kind) {
        case (.invoke, .put): entry.argument = number(fields[3])
        case (.invoke, .compareAndSet):
            let pair = fields[3...].joined(separator: " ").trimmingBrackets.split(separator: " ")
            guard pair.count == 2 else {
                throw AssayError(.badInput, "A :cas has two values in brackets, [expected new].", at: place)
            }
            (entry.expected, entry.argument) = (number(pair[0]), number(pair[1]))
        case (.ok, .get): entry.result = number(fields[3])
        case (.fail, .compareAndSet): entry.isAnswered = fields[3].hasPrefix("[")
        default: break
        }
        return entry
    }
}

extension String {
    fileprivate var trimmingBrackets: Substring {
        var text = self[...]
        if text.hasPrefix("[") { text = text.dropFirst() }
        if text.hasSuffix("]") { text = text.dropLast() }
        return text
    }
}
