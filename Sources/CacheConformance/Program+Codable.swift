extension Program: Codable {
    private struct Line: Codable {
        var operation: String
        var key: String?
        var value: String?
        var sequence: Int?
        var bytes: Int?
        var expiresAtNanoseconds: Int64?
    }

    /// Reads an array of operations.
    public init(from decoder: any Decoder) throws {
        let lines = try [Line](from: decoder)
        operations = try lines.map { line in
            guard let operation = Self.operation(line) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "unknown operation '\(line.operation)'"))
            }
            return operation
        }
    }

    /// Writes an array of operations; keys and literal values in hexadecimal.
    public func encode(to encoder: any Encoder) throws {
        try operations.map { operation in
            var line = Line(operation: operation.name, key: operation.key.map { KeyText.hex($0[...]) })
            if case .put(_, let payload, let expiry) = operation {
                line.expiresAtNanoseconds = expiry
                switch payload {
                case .bytes(let bytes): line.value = KeyText.hex(bytes[...])
                case .described(let sequence, let byteCount): (line.sequence, line.bytes) = (sequence, byteCount)
                }
            }
            return line
        }.encode(to: encoder)
    }

    private static func operation(_ line: Line) -> Operation? {
        let key = line.key.flatMap(bytes)
        switch (line.operation, key) {
        case ("put", let key?):
            if let sequence = line.sequence, let count = line.bytes {
                return .put(
                    key, .described(sequence: sequence, byteCount: count),
                    expiresAtNanoseconds: line.expiresAtNanoseconds)
            }
            guard let value = line.value.flatMap(bytes) else { return nil }
            return .put(key, .bytes(value), expiresAtNanoseconds: line.expiresAtNanoseconds)
        case ("get", let key?): return .get(key)
        case ("contains", let key?): return .contains(key)
        case ("remove", let key?): return .remove(key)
        default:
            let plain: [Operation] = [.removeAll, .count, .keys, .flush, .close, .reopen, .relocate, .abandon]
            return plain.first { $0.name == line.operation }
        }
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
