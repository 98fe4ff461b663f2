/// An answer as it is stored: everything but a long body, which lies in a file.
struct StoredAnswer: Sendable, Codable {
    /// Where the body is.
    enum Body: Sendable, Codable, Hashable {
        /// Beside the record.
        case bytes([UInt8])
        /// In the file of the answer's number, which is so long.
        case file(length: Int)

        var length: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let length): length
            }
        }
    }

    /// A number that no other answer of the store has.
    var number: UInt64
    var status: Int
    var fields: HTTPFields
    /// The names of the fields in `Vary`, and what the request had in them.
    var varyNames: [String]
    var varyValues: [String?]
    /// When it was asked for, and when it came, in nanoseconds since 1970.
    var requestNanoseconds: Int64
    var responseNanoseconds: Int64
    var body: Body
    /// Whether something has happened since that may have changed the resource.
    var isInvalidated = false
    var groups: [String] = []
    var userData: [UInt8]?

    /// Whether it was chosen by the same as a request has.
    func isFor(_ fields: HTTPFields) -> Bool { HTTPVary.values(of: varyNames, in: fields) == varyValues }

    /// When its origin made it, or else when it came.
    var dateSeconds: Int64 {
        let now = responseNanoseconds / 1_000_000_000
        return fields["Date"].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
    }

    /// What it takes in memory and on disk, as the limit counts it.
    var weight: Int { 200 + body.length + fields.lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
}

/// Everything that is stored of one resource: an answer for each kind of request.
struct StoredResource: Sendable {
    var answers: [StoredAnswer] = []

    var weight: Int { answers.reduce(100) { $0 + $1.weight } }

    /// The numbers of its body files.
    var files: Set<UInt64> { Set(answers.compactMap { if case .file = $0.body { $0.number } else { nil } }) }

    /// Puts an answer in the place of those that are for the same requests, and of the oldest where there are too many.
    mutating func put(_ answer: StoredAnswer, to request: HTTPFields, answersMax: Int) {
        answers.removeAll { $0.isFor(request) }
        answers.append(answer)
        let most = min(max(1, answersMax), Self.answersMax)
        if answers.count > most { answers.removeFirst(answers.count - most) }
    }
}

extension StoredResource {
    /// The groups of all its answers.
    var groups: [String] { Array(Set(answers.flatMap(\.groups))).sorted() }

    /// What it takes in memory: long bodies are not there.
    var memory: Int {
        answers.reduce(weight) { sum, answer in
            if case .file(let length) = answer.body { sum - length } else { sum }
        }
    }
}
