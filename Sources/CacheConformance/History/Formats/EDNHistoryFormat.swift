internal import CacheCore

/// Key-value histories of Jepsen and porcupine: one EDN map a call or return.
///
/// `{:process 0, :type :invoke, :f :cas, :key "x", :value ["1" "2"]}`. The key stands under `:key`, or as in Jepsen's
/// independent histories before the value: `:value [x 1]`, `:value [x [1 2]]`; without one there is one register. Other
/// entries of the map are passed over, as are processes that are no numbers, such as the nemesis. With `:key` the empty text
/// is absence, as in porcupine's model of a key-value store. Collections lie at most ``depthMax`` deep in each other.
enum EDNHistoryFormat {
    /// How deep collections may lie in each other within a map.
    static let depthMax = 100

    static let format = HistoryFormat(
        name: "EDN", summary: "maps such as {:process 0, :type :invoke, :f :read, :value nil}",
        recognises: { bytes in
            var scanner = TextScanner(bytes, source: "")
            scanner.skipSpace(and: UInt8(ascii: ","))
            while scanner.take("[") || scanner.take("(") { scanner.skipSpace() }
            while scanner.byte == UInt8(ascii: ";") {
                scanner.skipLine()
                scanner.skipSpace()
            }
            if scanner.take("{") {
                scanner.skipSpace(and: UInt8(ascii: ","))
                return scanner.byte == UInt8(ascii: ":")
            }
            return scanner.position > 0 && scanner.byte == nil && bytes.contains(UInt8(ascii: "["))
        },
        read: { (bytes, source) throws(AssayError) in
            var reader = Reader(bytes, source)
            return try reader.history()
        })

    /// A value of EDN as far as histories need it.
    private indirect enum Form {
        case none
        case atom(Int32)
        case pair(Form, Form)
        case other

        /// The number of an atom's name, 0 for nil.
        var value: Int32? {
            switch self {
            case .none: HistoryOperation.absent
            case .atom(let number): number
            case .pair, .other: nil
            }
        }
    }

    private struct Reader {
        private var scanner: TextScanner
        private var builder: HistoryBuilder
        /// How many collections are open.
        private var depth = 0

        init(_ bytes: UnsafeRawBufferPointer, _ source: String) {
            scanner = TextScanner(bytes, source: source)
            builder = HistoryBuilder(source: source)
        }

        mutating func history() throws(AssayError) -> History {
            while true {
                skip()
                guard let byte = scanner.byte else { return builder.history() }
                switch byte {
                case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "("), UInt8(ascii: ")"): scanner.advance()
                case UInt8(ascii: "{"): try map()
                default:
                    throw scanner.error("A map in braces is expected here, not '\(Character(UnicodeScalar(byte)))'.")
                }
            }
        }

        /// Goes over white space, commas, comments and tags before forms.
        private mutating func skip() {
            while true {
                scanner.skipSpace(and: UInt8(ascii: ","))
                if scanner.byte == UInt8(ascii: ";") {
                    scanner.skipLine()
                } else if scanner.byte == UInt8(ascii: "#") {
                    _ = scanner.take { $0 > 0x20 && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }
                } else {
                    return
                }
            }
        }

        /// The entries of one map.
        private struct Fields {
            var process: Int?
            var isForeign = false
            var stage: HistoryBuilder.Entry.Stage?
            var kindName: String?
            var key: Form?
            var value: Form?
            var hasError = false
        }

        private mutating func map() throws(AssayError) {
            let line = scanner.line
            scanner.advance()
            var fields = Fields()
            while true {
                skip()
                guard scanner.byte != nil else {
                    throw scanner.error("A map does not end. Close it with '}'.", line: line)
                }
                if scanner.take("}") { break }
                guard scanner.take(":") else {
                    throw scanner.error("A map's entries begin with a keyword, such as :process.")
                }
                let name = scanner.take(while: Self.isAtom).text
                skip()
                try field(name, &fields)
            }
            guard !fields.isForeign else { return }
            try add(fields, line)
        }

        private mutating func field(_ name: String, _ fields: inout Fields) throws(AssayError) {
            switch name {
            case "process":
                let atom = scanner.take(while: Self.isAtom).text
                fields.process = Int(atom)
                fields.isForeign = fields.process == nil && atom.hasPrefix(":")
                if fields.process == nil, !fields.isForeign {
                    throw scanner.error("A process is a whole number, not '\(atom)'.")
                }
            case "type":
                let atom = scanner.take(while: Self.isAtom).text
                switch atom {
                case ":invoke": fields.stage = .invoke
                case ":ok": fields.stage = .ok
                case ":fail": fields.stage = .fail
                case ":info": fields.stage = .info
                default: throw scanner.error("There is no type '\(atom)'. Types are :invoke, :ok, :fail and :info.")
                }
            case "f": fields.kindName = scanner.take(while: Self.isAtom).text
            case "key": fields.key = try form(.keys)
            case "value": fields.value = try form(.values)
            default:
                if name == "error" { fields.hasError = true }
                _ = try form(.nobody)
            }
        }

        private mutating func add(_ fields: Fields, _ line: Int) throws(AssayError) {
            guard let process = fields.process, let stage = fields.stage, let name = fields.kindName else {
                let missing =
                    fields.process == nil ? ":process" : fields.stage == nil ? ":type" : ":f"
                throw scanner.error("\(missing) is missing in this map. Each has :process, :type and :f.", line: line)
            }
            guard let kind = HistoryOperation.Kind.named[String(name.drop { $0 == ":" })] else {
                let names = HistoryOperation.Kind.named.keys.sorted().joined(separator: " ")
                throw scanner.error("There is no operation '\(name)'. Operations are \(names).", line: line)
            }
            var entry = HistoryBuilder.Entry(process: process, stage: stage, kind: kind)
            var value = fields.value ?? .none
            if let key = fields.key {
                guard let number = key.value, case .atom = key else {
                    throw scanner.error("A key is one text, number or keyword.", line: line)
                }
                entry.key = number
            } else if case .pair(.atom(let key), let rest) = value, Self.isKeyed(kind, rest) {
                // The key was read as a value; its name is what counts.
                entry.key = builder.keys.number(of: builder.values.bytes(of: key))
                value = rest
            } else {
                entry.key = builder.keys.number(of: "")
            }
            try fill(&entry, value, hasKeyField: fields.key != nil, line)
            entry.isAnswered = !fields.hasError
            try builder.add(entry, line: line)
        }

        /// Whether the first of two values is a key: always, but for a comparison, which has two values itself.
        private static func isKeyed(_ kind: HistoryOperation.Kind, _ rest: Form) -> Bool {
            guard kind == .compareAndSet else { return true }
            if case .pair = rest { return true }
            return false
        }

        private mutating func fill(
            _ entry: inout HistoryBuilder.Entry, _ value: Form, hasKeyField: Bool, _ line: Int
        ) throws(AssayError) {
            func number(_ form: Form) throws(AssayError) -> Int32 {
                guard let number = form.value else {
                    throw scanner.error("A value is one text, number or keyword, or nil.", line: line)
                }
                return hasKeyField && builder.values.bytes(of: number).isEmpty ? HistoryOperation.absent : number
            }
            if entry.stage == .invoke {
                if entry.kind == .compareAndSet {
                    guard case .pair(let expected, let new) = value else {
                        throw scanner.error("A compare-and-set has two values: :value [expected new].", line: line)
                    }
                    (entry.expected, entry.argument) = (try number(expected), try number(new))
                } else if entry.kind.hasArgument {
                    entry.argument = try number(value)
                }
            } else if entry.stage == .ok {
                switch entry.kind.answer {
                case .value: entry.result = try number(value)
                case .flag where entry.kind != .compareAndSet: entry.result = flag(value)
                case .flag, .none: break
                }
            }
        }

        /// True, false, or anything else for an answer that was not kept.
        private func flag(_ form: Form) -> Int32 {
            guard case .atom(let number) = form else { return HistoryOperation.unknown }
            switch builder.values.text(of: number) {
            case "true": return HistoryOperation.yes
            case "false": return HistoryOperation.no
            default: return HistoryOperation.unknown
            }
        }

        /// Whose numbers the atoms of a form get.
        private enum Owner {
            case keys, values, nobody
        }

        private mutating func atom(_ name: UnsafeRawBufferPointer, _ owner: Owner) -> Form {
            switch owner {
            case .keys: .atom(builder.keys.number(of: name))
            case .values: .atom(builder.values.number(of: name))
            case .nobody: .other
            }
        }

        /// Reads any form.
        private mutating func form(_ owner: Owner) throws(AssayError) -> Form {
            skip()
            guard let byte = scanner.byte else {
                throw scanner.error("A value is expected before the end of the file.")
            }
            switch byte {
            case UInt8(ascii: "\""):
                let text = try scanner.takeQuoted()
                return text.withRawBytes { atom($0, owner) }
            case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "{"): return try collection(owner)
            case UInt8(ascii: "]"), UInt8(ascii: ")"), UInt8(ascii: "}"):
                throw scanner.error("A value is expected before '\(Character(UnicodeScalar(byte)))'.")
            default:
                let name = scanner.take(while: Self.isAtom)
                guard !name.isEmpty else {
                    throw scanner.error("There is a control character in a value. Write it as an escape in a text.")
                }
                return name.elementsEqual("nil".utf8) ? .none : atom(name, owner)
            }
        }

        private mutating func collection(_ owner: Owner) throws(AssayError) -> Form {
            guard depth < EDNHistoryFormat.depthMax else {
                throw scanner.error(
                    "Collections lie more than \(EDNHistoryFormat.depthMax) deep in each other. Leave them out.")
            }
            depth += 1
            defer { depth -= 1 }
            let line = scanner.line
            scanner.advance()
            var members: [Form] = []
            while true {
                skip()
                guard let byte = scanner.byte else { throw scanner.error("A list does not end.", line: line) }
                if [UInt8(ascii: "]"), UInt8(ascii: ")"), UInt8(ascii: "}")].contains(byte) {
                    scanner.advance()
                    return members.count == 2 ? .pair(members[0], members[1]) : .other
                }
                members.append(try form(owner))
            }
        }

        private static func isAtom(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...0x20, UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "]"),
                UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ";"):
                false
            default: true
            }
        }
    }
}
