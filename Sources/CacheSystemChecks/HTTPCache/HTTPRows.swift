internal import CacheConformance
internal import CacheSystems

/// A rule as a sequence of exchanges between a client, a cache and an origin.
struct HTTPRow: Sendable {
    let rule: String
    let profiles: [HTTPProfile]
    let steps: [HTTPStep]

    /// A rule for some kinds of caches.
    init(_ rule: String, _ profiles: [HTTPProfile], _ steps: [HTTPStep]) {
        self.rule = rule
        self.profiles = profiles
        self.steps = steps
    }

    /// A rule for all kinds of caches.
    init(_ rule: String, _ steps: [HTTPStep]) { self.init(rule, HTTPProfile.allCases, steps) }
}

/// One exchange.
///
/// A value of a field that is `@` and a number is the date so many seconds from now. An origin sends a `Date` unless it is given one, or
/// an empty one. Bodies are `answer N`, where N is the number of the origin's answer, unless another is given.
struct HTTPStep: Sendable {
    /// What the origin sees.
    enum Seen: Sendable {
        /// Nothing: the answer is stored.
        case nothing
        /// A request without the cache's own conditions.
        case whole
        /// A request with them, which it answers by 304.
        case confirming
        /// A request with them, which it answers anew.
        case changed
        /// A request, and it cannot be reached.
        case unreachable
    }

    var seen: Seen
    /// The seconds that pass before.
    var after: Double
    var request: CheckedHTTPRequest
    /// What the origin says.
    var status: Int
    var gives: HTTPFields
    var body: String?
    /// The seconds until the origin answers.
    var delay: Double
    /// The status that the client is given, 0 for an error; nil for that of the origin, or 200.
    var answers: Int?
    /// Fields and their values that the client is given, and those that it is not.
    var has: HTTPFields
    var lacks: [String]
    /// The content that the client is given; nil for that of the origin, or of the last answer that was not stored.
    var content: String?
    /// Fields that the origin is asked with, and those that it is not.
    var asks: HTTPFields
    var omits: [String]

    init(
        _ seen: Seen, after: Double = 0, _ asking: HTTPFields = [:], method: String = "GET", path: String = "/r",
        use: HTTPRequestOptions.Use = .standard, status: Int = 200, gives: HTTPFields = [:], body: String? = nil,
        delay: Double = 0,
        answers: Int? = nil, has: HTTPFields = [:], lacks: [String] = [], content: String? = nil,
        asks: HTTPFields = [:],
        omits: [String] = []
    ) {
        self.seen = seen
        self.after = after
        var request = CheckedHTTPRequest(path.hasPrefix("/") ? "http://site.example" + path : path)
        request.method = method
        request.fields = asking
        request.use = use
        self.request = request
        self.status = status
        self.gives = gives
        self.body = body
        self.delay = delay
        self.answers = answers
        self.has = has
        self.lacks = lacks
        self.content = content
        self.asks = asks
        self.omits = omits
    }

    var text: String {
        "\(after > 0 ? "\(after) s later, " : "")\(request.method) \(request.url) \(request.fields.lines.map { "\($0.name): \($0.value)" })"
    }
}
