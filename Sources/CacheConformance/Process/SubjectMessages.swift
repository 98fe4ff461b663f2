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

    /// What an instance is opened with.
    struct Open: Codable {
        var directory: String?
        var capacity: Capacity?
        var timeToLiveNanoseconds: Int64?
        var timeToIdleNanoseconds: Int64?
        var staleNanoseconds: Int64?
        var refreshNanoseconds: Int64?
        var nowNanoseconds: Int64?
        var format: Int?
        var collide: Bool?
        var faces: Int?

        init(_ setup: CacheSetup, in directory: String?) {
            self.directory = directory
            capacity = setup.capacity
            timeToLiveNanoseconds = setup.timeToLiveNanoseconds
            timeToIdleNanoseconds = setup.timeToIdleNanoseconds
            staleNanoseconds = setup.staleNanoseconds
            refreshNanoseconds = setup.refreshNanoseconds
            nowNanoseconds = setup.nowNanoseconds == 0 ? nil : setup.nowNanoseconds
            format = setup.format
            (collide, faces) = (setup.collide, setup.faces)
        }

        /// What a subject of this process is opened with.
        var setup: CacheSetup {
            var setup = CacheSetup(
                capacity: capacity, timeToIdleNanoseconds: timeToIdleNanoseconds, staleNanoseconds: staleNanoseconds,
                refreshNanoseconds: refreshNanoseconds, format: format)
            (setup.timeToLiveNanoseconds, setup.nowNanoseconds) = (timeToLiveNanoseconds, nowNanoseconds)
            (setup.collide, setup.faces) = (collide, faces)
            return setup
        }
    }

    /// The number by which the answer is told.
    var id: Int
    /// The instance that is meant.
    var instance: Int?
    var hello: Hello?
    var open: Open?
    var step: OperationLine?
    /// The face by which the step is asked; nil for the first.
    var face: Int?
    /// Whether the instance is let go without being closed.
    var release: Bool?

    init(id: Int, instance: Int? = nil) {
        self.id = id
        self.instance = instance
    }
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
