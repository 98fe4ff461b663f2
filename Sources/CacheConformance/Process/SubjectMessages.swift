import CacheCore

/// What Assay asks of a subject in a child process: one frame's body. `docs/subject-protocol.md` has the words.
struct SubjectRequest: Codable {
    /// The versions of the protocol that this Assay speaks.
    static let versions = [1]

    /// The first request.
    struct Hello: Codable {
        var `protocol` = "assay-subject"
        var versions = SubjectRequest.versions
    }

    /// What an instance is opened with: the members of the setup, and the directory beside them.
    struct Open: Codable {
        private enum Key: String, CodingKey { case directory }

        var directory: String?
        var setup: CacheSetup

        init(_ setup: CacheSetup, in directory: String?) {
            (self.setup, self.directory) = (setup, directory)
            if setup.nowNanoseconds == 0 { self.setup.nowNanoseconds = nil }
        }

        init(from decoder: any Decoder) throws {
            directory = try decoder.container(keyedBy: Key.self).decodeIfPresent(String.self, forKey: .directory)
            setup = try CacheSetup(from: decoder)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(directory, forKey: .directory)
            try setup.encode(to: encoder)
        }
    }

    /// The number by which the answer is told; the session gives it.
    var id = 0
    /// The instance that is meant.
    var instance: Int?
    var hello: Hello?
    var open: Open?
    var step: OperationLine?
    /// The face by which the step is asked; nil for the first.
    var face: Int?
    /// Whether the instance is let go without being closed.
    var release: Bool?
}

/// What a subject answers: one frame's body.
struct SubjectAnswer: Codable {
    /// The answer to the first request.
    struct Hello: Codable {
        var version: Int
        var name: String
        var claims: Claims?
        var needsDirectory: Bool?
    }

    var id: Int
    var hello: Hello?
    /// The answer to everything else.
    var result: OperationResult?

    private enum Key: String, CodingKey { case id, hello }

    init(id: Int, hello: Hello? = nil, result: OperationResult? = nil) {
        (self.id, self.hello, self.result) = (id, hello, result)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(Int.self, forKey: .id)
        hello = try container.decodeIfPresent(Hello.self, forKey: .hello)
        result = hello == nil ? try OperationResult(from: decoder) : nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(hello, forKey: .hello)
        try result?.encode(to: encoder)
    }
}
