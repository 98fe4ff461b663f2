extension History {
    /// The history in Assay's own form, which ``init(_:source:)`` reads: JSON lines, first a header, then one object an
    /// operation. O(n).
    public var jsonLines: String {
        var text = #"{"assay-history":\#(JSONHistoryFormat.version),"time":"\#(timeUnit.rawValue)"}"# + "\n"
        for operation in operations {
            text += #"{"client":\#(operation.client),"op":"\#(operation.kind.name)","key":"#
            text += Self.quoted(keyNames.text(of: operation.key))
            if operation.kind == .compareAndSet { text += #","expected":"# + written(operation.expected) }
            if operation.kind.hasArgument { text += #","value":"# + written(operation.argument) }
            if operation.result != HistoryOperation.unknown {
                switch operation.kind.answer {
                case .value: text += #","result":"# + written(operation.result)
                case .flag: text += #","result":\#(operation.result != HistoryOperation.no)"#
                case .none: break
                }
            }
            text += #","call":\#(operation.callTime)"#
            if !operation.isPending { text += #","return":\#(operation.returnTime)"# }
            text += "}\n"
        }
        return text
    }

    private func written(_ value: Int32) -> String {
        value == HistoryOperation.absent ? "null" : Self.quoted(valueNames.text(of: value))
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
