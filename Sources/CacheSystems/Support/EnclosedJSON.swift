internal import Foundation

/// Any codable value as JSON in one form: a nil and a single number too, and numbers that JSON has no form for.
enum EnclosedJSON {
    private struct Enclosed<Value: Codable>: Codable {
        let value: Value

        init(value: Value) { self.value = value }

        private enum Key: String, CodingKey { case value = "v" }

        init(from decoder: any Decoder) throws {
            value = try decoder.container(keyedBy: Key.self).decode(Value.self, forKey: .value)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(value, forKey: .value)
        }
    }

    private static let infinity = "infinity"
    private static let notANumber = "nan"

    static func bytes<Value: Codable>(of value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        return Array(try encoder.encode(Enclosed(value: value)))
    }

    static func object<Value: Codable>(of bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        return try decoder.decode(Enclosed<Value>.self, from: Data(bytes)).value
    }
}
