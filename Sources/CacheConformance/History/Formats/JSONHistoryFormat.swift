internal import CacheCore

/// Assay's own form: JSON lines, first a header, then one object an operation with both its times.
///
/// ```
/// {"assay-history":1,"time":"nanoseconds"}
/// {"client":0,"op":"put","key":"a","value":"1","call":10,"return":20}
/// {"client":1,"op":"get","key":"a","result":null,"call":12,"return":25}
/// {"client":2,"op":"compare-and-set","key":"a","expected":"1","value":"2","call":30}
/// ```
///
/// An operation without `return` is pending. Results are a value or null for get, get-and-put and get-and-remove, and true or
/// false for the others; one that is left out is not known. Values are texts or numbers.
enum JSONHistoryFormat {
    /// The version that is written; a reader refuses a higher one.
    static let version = 1

    static let format = HistoryFormat(
        name: "JSON lines", summary: #"first {"assay-history":1,"time":"nanoseconds"}, then an object an operation"#,
        recognises: { bytes in
            var scanner = TextScanner(bytes, source: "")
            scanner.skipSpace()
            guard scanner.take("{") else { return false }
            scanner.skipSpace()
            return scanner.byte == UInt8(ascii: "\"")
        },
        read: { (bytes, source) throws(AssayError) in
            var reader = Reader(bytes, source)
            return try reader.history()
        })

    private enum Value {
        case text([UInt8])
        case number(UnsafeRawBufferPointer)
        case flag(Bool)
        case null
    }

    private struct Reader {
        private var scanner: TextScanner
        private var keys = NameTable()
        private var values = NameTable.ofValues

        init(_ bytes: UnsafeRawBufferPointer, _ source: String) { scanner = TextScanner(bytes, source: source) }

        mutating func history() throws(AssayError) -> History {
            scanner.skipSpace()
            let unit = try header()
            var operations: [HistoryOperation] = []
            while true {
                scanner.skipSpace()
                guard scanner.byte != nil else { break }
                operations.append(try operation())
            }
            return History(operations, keyNames: keys, valueNames: values, timeUnit: unit)
        }

        private mutating func header() throws(AssayError) -> History.TimeUnit {
            let line = scanner.line
            var found: Int?
            var unit: History.TimeUnit?
            try object { (reader, name) throws(AssayError) in
                let value = try reader.value()
                if name == "assay-history", case .number(let digits) = value { found = Int(digits.text) }
                if name == "time", case .text(let text) = value {
                    unit = History.TimeUnit(rawValue: String(decoding: text, as: UTF8.self))
                }
            }
            guard let found else {
                throw scanner.error(
                    #"The header is missing. Begin with {"assay-history":1,"time":"nanoseconds"}."#, line: line)
            }
            guard found <= JSONHistoryFormat.version else {
                throw scanner.error(
                    "The history is of version \(found), and this Assay knows \(JSONHistoryFormat.version). Use a newer one.",
                    line: line)
            }
            guard let unit else {
                throw scanner.error(#"The header needs "time":"nanoseconds" or "time":"events"."#, line: line)
            }
            return unit
        }

        private mutating func operation() throws(AssayError) -> HistoryOperation {
            let line = scanner.line
            var operation = HistoryOperation(.get, client: -1, key: -1, callTime: .min, returnTime: .max)
            var kind: HistoryOperation.Kind?
            var result: Value?
            var hasValue = false
            try object { (reader, name) throws(AssayError) in
                switch name {
                case "client": operation.client = try reader.integer(name)
                case "call": operation.callTime = try reader.integer(name)
                case "return":
                    if reader.scanner.byte == UInt8(ascii: "n") {
                        _ = try reader.value()
                    } else {
                        operation.returnTime = try reader.integer(name)
                    }
                case "op":
                    guard case .text(let text) = try reader.value(),
                        let named = HistoryOperation.Kind.named[String(decoding: text, as: UTF8.self)]
                    else {
                        let names = HistoryOperation.Kind.allCases.map(\.name).joined(separator: " ")
                        throw reader.scanner.error("There is no such operation. Operations are \(names).")
                    }
                    kind = named
                case "key": operation.key = try reader.name(of: reader.value(), isKey: true)
                case "value":
                    operation.argument = try reader.name(of: reader.value(), isKey: false)
                    hasValue = true
                case "expected": operation.expected = try reader.name(of: reader.value(), isKey: false)
                case "result": result = try reader.value()
                default: _ = try reader.value()
                }
            }
            guard let kind, operation.client >= 0, operation.key >= 0, operation.callTime != .min else {
                throw scanner.error("An operation has client, op, key and call, and return if it did.", line: line)
            }
            guard hasValue || !kind.hasArgument else {
                throw scanner.error("A \(kind.name) needs the value that it writes: \"value\":\"1\".", line: line)
            }
            operation.kind = kind
            operation.result = try self.result(result, of: kind, line)
            return operation
        }

        private mutating func result(
            _ value: Value?, of kind: HistoryOperation.Kind, _ line: Int
        ) throws(AssayError) -> Int32 {
            guard let value, kind.answer != .none else { return HistoryOperation.unknown }
            if kind.answer == .value { return try name(of: value, isKey: false) }
            guard case .flag(let flag) = value else {
                throw scanner.error("The result of a \(kind.name) is true or false.", line: line)
            }
            return flag ? HistoryOperation.yes : HistoryOperation.no
        }

        private mutating func name(of value: Value, isKey: Bool) throws(AssayError) -> Int32 {
            switch value {
            case .text(let text): return isKey ? keys.number(of: text) : values.number(of: text)
            case .number(let digits): return isKey ? keys.number(of: digits) : values.number(of: digits)
            case .null where !isKey: return HistoryOperation.absent
            case .flag, .null: throw scanner.error("A \(isKey ? "key" : "value") is a text or a number.")
            }
        }

        private mutating func integer<Number: FixedWidthInteger>(_ name: String) throws(AssayError) -> Number {
            guard case .number(let digits) = try value(), let number = Number(digits.text), number >= 0 else {
                throw scanner.error("\"\(name)\" is a whole number from 0 on.")
            }
            return number
        }

        /// Walks over an object, calling `member` with each name; `member` takes the value.
        private mutating func object(
            _ member: (inout Reader, String) throws(AssayError) -> Void
        ) throws(AssayError) {
            guard scanner.take("{") else { throw scanner.error("An object in braces is expected here.") }
            scanner.skipSpace()
            if scanner.take("}") { return }
            while true {
                scanner.skipSpace()
                guard scanner.byte == UInt8(ascii: "\"") else {
                    throw scanner.error("A name in double quotes is expected here.")
                }
                let name = String(decoding: try scanner.takeQuoted(), as: UTF8.self)
                scanner.skipSpace()
                guard scanner.take(":") else { throw scanner.error("A colon is expected behind \"\(name)\".") }
                scanner.skipSpace()
                try member(&self, name)
                scanner.skipSpace()
                if scanner.take("}") { return }
                guard scanner.take(",") else { throw scanner.error("A comma or '}' is expected behind \"\(name)\".") }
            }
        }

        private mutating func value() throws(AssayError) -> Value {
            switch scanner.byte ?? 0 {
            case UInt8(ascii: "\""): return .text(try scanner.takeQuoted())
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                return .number(scanner.take { $0 > 0x20 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") })
            default:
                let word = scanner.take { (0x61...0x7A).contains($0) }.text
                switch word {
                case "true": return .flag(true)
                case "false": return .flag(false)
                case "null": return .null
                default: throw scanner.error("A text, a number, true, false or null is expected here.")
                }
            }
        }
    }
}
