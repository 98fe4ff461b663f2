#if Servers
    /// A reply in the Redis serialization protocol, version 3 or 2.
    ///
    /// Null, the nil bulk string and the nil array of version 2 are one. Attributes, which only annotate a reply, are dropped.
    indirect enum RESPValue: Sendable, Equatable {
        case null
        case simple(String)
        case error(String)
        case integer(Int64)
        case double(Double)
        case boolean(Bool)
        /// Decimal digits of any number.
        case bigNumber(String)
        case bulk([UInt8])
        /// Text with its format in three letters.
        case verbatim(format: String, [UInt8])
        case array([RESPValue])
        case set([RESPValue])
        /// Keys and values in turn.
        case map([RESPValue])
        /// What the server says without being asked.
        case push([RESPValue])

        /// The bytes of any kind of text.
        var bytes: [UInt8]? {
            switch self {
            case .bulk(let bytes), .verbatim(_, let bytes): bytes
            case .simple(let text), .bigNumber(let text): Array(text.utf8)
            default: nil
            }
        }

        /// The text of any kind of text; bytes that are no UTF-8 are replaced.
        var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

        /// The elements of any kind of collection.
        var elements: [RESPValue]? {
            switch self {
            case .array(let elements), .set(let elements), .map(let elements), .push(let elements): elements
            default: nil
            }
        }

        /// The number, if it is a whole one.
        var integer: Int64? {
            if case .integer(let number) = self { number } else { nil }
        }
    }
#endif
