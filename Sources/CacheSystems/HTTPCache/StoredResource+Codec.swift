internal import CacheCore
internal import CacheEngine

extension StoredAnswer {
    /// Whether it can be one that was stored: what is on disk may have been changed by anybody.
    fileprivate var isSound: Bool {
        guard number <= Self.numberMax, (200...999).contains(status) else { return false }
        if case .file(let length) = body, !(0...Self.lengthMax).contains(length) { return false }
        return fields.isSound
    }

    /// No store gives so many numbers.
    static let numberMax = UInt64(Int64.max)
    /// No file is longer. Sums of as many lengths as a record has stay in range.
    private static let lengthMax = 1 << 48
}

extension StoredResource {
    /// What is written as JSON: the answers, and how long the bodies are that follow.
    private struct Record: Codable {
        var format = 1
        var answers: [StoredAnswer]
        var bodyLengths: [Int]
    }

    /// Keys are addresses in UTF-8. A record is the length of its JSON in four bytes, big-endian, the JSON, and the short bodies.
    static var codec: CacheCodec<String, StoredResource> {
        CacheCodec(
            encodeKey: { Array($0.utf8) },
            decodeKey: { bytes in
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw StoreError(.corrupt, "a key in the store is not one of this cache's")
                }
                return text
            },
            encodeValue: { try $0.encoded() }, decodeValue: { try StoredResource(decoding: $0) })
    }

    /// More are not stored of one address, whatever the options say.
    static let answersMax = 1 << 14

    func encoded() throws -> [UInt8] {
        var record = Record(answers: answers, bodyLengths: [])
        var bodies: [UInt8] = []
        for index in answers.indices {
            guard case .bytes(let bytes) = answers[index].body else { continue }
            record.answers[index].body = .bytes([])
            record.bodyLengths.append(bytes.count)
            bodies += bytes
        }
        let json = try EnclosedJSON.bytes(of: record)
        return (0..<4).map { UInt8(truncatingIfNeeded: json.count >> (24 - 8 * $0)) } + json + bodies
    }

    init(decoding bytes: [UInt8]) throws {
        let damage = StoreError(.corrupt, "what is stored of an address is damaged")
        let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count >= 4, count <= bytes.count - 4 else { throw damage }
        let record: Record
        do { record = try EnclosedJSON.object(of: Array(bytes[4..<4 + count])) } catch { throw damage }
        var rest = bytes[(4 + count)...]
        var lengths = record.bodyLengths[...]
        answers = record.answers
        guard answers.count <= Self.answersMax else { throw damage }
        for index in answers.indices {
            guard case .bytes = answers[index].body else { continue }
            guard let length = lengths.popFirst(), length >= 0, length <= rest.count else { throw damage }
            answers[index].body = .bytes(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        guard record.format == 1, lengths.isEmpty, rest.isEmpty, answers.allSatisfy(\.isSound) else { throw damage }
    }
}
