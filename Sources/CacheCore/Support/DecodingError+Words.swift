extension DecodingError {
    /// What is wrong and where in the document, in one sentence.
    package var inWords: String {
        switch self {
        case .keyNotFound(let key, let context): return "'\(Self.path(context.codingPath + [key]))' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            return path.isEmpty ? context.debugDescription : "'\(path)': \(context.debugDescription)"
        @unknown default: return "\(self)"
        }
    }

    /// `cells[3].counts` for the keys that lead there.
    package static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
