public import CacheConformance
public import CacheSystems

/// How a cache of web resources is opened for a check.
public struct CheckedHTTPSetup: Sendable {
    /// For whom it is.
    public var profile = HTTPProfile.private
    /// How many bytes it may store; nil for any number.
    public var storeBytesMax: Int?
    /// The longest body that it stores; nil for any.
    public var bodyBytesMax: Int?
    /// How many requests it may have at its origin at once.
    public var originRequestsMax = 5
    /// Whether its files are named after addresses, where it has the choice.
    public var namesFilesByURL = false
    /// Whether it stands in the place of the platform's own cache of addresses.
    public var standsForURLCache = false

    /// A cache for one user, without limits.
    public init() {}
}

/// A request as a check makes it.
public struct CheckedHTTPRequest: Sendable {
    /// The method.
    public var method = "GET"
    /// The address.
    public var url: String
    /// The header.
    public var fields: HTTPFields = [:]
    /// Where its answer may come from.
    public var use = HTTPRequestOptions.Use.standard
    /// Which goes to the origin first: the higher.
    public var priority = 0
    /// The group that its answer is stored under.
    public var group: String?
    /// What is kept beside its answer.
    public var userData: [UInt8]?

    /// A request for an address.
    public init(_ url: String) { self.url = url }
}

/// What a check's origin says, and what a check is given.
public struct CheckedHTTPAnswer: Sendable, Hashable {
    /// The status.
    public var status = 200
    /// The header.
    public var fields: HTTPFields = [:]
    /// The content.
    public var body: [UInt8] = []
    /// Whether the content breaks off.
    public var breaksOff = false

    /// An empty answer of status 200.
    public init() {}
}

/// The error of an origin that cannot be reached.
public struct HTTPTrouble: Error, Sendable, Hashable {
    /// The error.
    public init() {}
}

/// An origin as the checks have it: it may block its thread.
public typealias CheckedHTTPOrigin = @Sendable (CheckedHTTPRequest) throws -> CheckedHTTPAnswer

/// An open cache of web resources as its checks drive it. All that are open in one directory have one clock.
public protocol HTTPCacheInstance: AnyObject, Sendable {
    /// Answers a request, when its body has come whole.
    func respond(to request: CheckedHTTPRequest) throws -> CheckedHTTPAnswer
    /// Stores an answer that was had otherwise.
    func take(_ answer: CheckedHTTPAnswer, for request: CheckedHTTPRequest) throws
    /// Stores answers that were had otherwise, as those of a package, together. One that breaks off is damaged.
    func takeAll(_ answers: [(CheckedHTTPAnswer, CheckedHTTPRequest)]) throws
    /// Lets it ask its origin no more, or again.
    func setOffline(_ isOffline: Bool) throws
    /// Removes what is stored of an address.
    func purge(_ url: String) throws
    /// Removes what is stored under a group.
    func purge(group: String) throws
    /// Removes everything but what is stored of these addresses.
    func retain(only urls: [String]) throws
    /// What is kept beside what is stored of an address.
    func userData(_ url: String) throws -> [UInt8]?
    /// Moves the clock.
    func advance(nanoseconds: Int64)
    /// What the clock shows, in seconds since 1970.
    var nowSeconds: Int64 { get }
    /// Waits until what it does on its own is done.
    func settle()
    /// Ends its use.
    func close() throws
}

/// A cache of web resources as the suite drives it.
public protocol HTTPCacheSubject: CacheSubject {
    /// Opens a cache in a directory.
    func openHTTP(
        _ setup: CheckedHTTPSetup, in directory: String, origin: @escaping CheckedHTTPOrigin
    ) throws -> any HTTPCacheInstance
}
