/// Writes values as JSON for people, in one form: fields in the order of their type, two spaces for each level.
///
/// A record of a type is an object whose one member is the type's name after `*`; in it are its own fields, those that were added
/// at run time as `(Category)name`, and the part of its superclass under that name after `**`.
enum RecordText {
    static func text(of value: RecordValue, indent: Int = 0) -> String {
        switch value {
        case .nothing: "null"
        case .flag(let flag): "\(flag)"
        case .integer(let integer): "\(integer)"
        // JSON has no form for the others.
        case .number(let number): number.isFinite ? "\(number)" : quoted("\(number)")
        case .text(let text): quoted(text)
        case .bytes(let bytes): quoted("\(bytes.count) bytes")
        case .date(let seconds): quoted("\(seconds) s since 2001")
        case .list(let list): enclosed("[", list.map { text(of: $0, indent: indent + 1) }, "]", indent)
        case .record(let data): text(of: data, indent: indent)
        }
    }

    private static func text(of data: RecordData, indent: Int) -> String {
        guard let name = data.typeName else { return members(of: data, indent) }
        return enclosed("{", [quoted("*\(name)") + ": " + members(of: data, indent + 1)], "}", indent)
    }

    private static func members(of data: RecordData, _ indent: Int) -> String {
        let members = data.fields.map { name, value in
            if name == RecordData.superclassField, let parent = value.record, let parentName = parent.typeName {
                return quoted("**\(parentName)") + ": " + self.members(of: parent, indent + 1)
            }
            return quoted(name) + ": " + text(of: value, indent: indent + 1)
        }
        return enclosed("{", members, "}", indent)
    }

    private static func enclosed(_ open: String, _ parts: [String], _ close: String, _ indent: Int) -> String {
        guard !parts.isEmpty else { return open + close }
        let margin = "\n" + String(repeating: "  ", count: indent)
        return open + parts.map { margin + "  " + $0 }.joined(separator: ",") + margin + close
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case _ where scalar.value < 0x20:
                quoted += "\\u" + String(repeating: "0", count: scalar.value < 0x10 ? 3 : 2)
                quoted += String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension RecordValue: CustomStringConvertible {
    /// JSON for people: see ``RecordData/description``.
    public var description: String { RecordText.text(of: self) }
}

extension RecordData: CustomStringConvertible {
    /// JSON for people: `{"*Type": {…, "**Superclass": {…}}}`, with `(Category)name` for fields that were added at run time.
    ///
    /// Fields are in the order of their type, so that equal values of one type have equal texts.
    public var description: String { RecordText.text(of: .record(self)) }
}

extension CacheRecord {
    /// What the record has in it as JSON for people, as in ``RecordData/description``; the error where it cannot be encoded.
    public var recordDescription: String {
        do { return "\(try RecordValue(of: self))" } catch { return "\(error)" }
    }
}
