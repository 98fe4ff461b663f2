/// A rule that fetches objects into a cache before they are requested, whatever its eviction policy.
///
/// ### Purpose
/// A prefetcher watches the requests and names objects that will probably follow. It makes room for them as a miss would; which
/// objects leave is for the eviction policy to say.
///
/// ### When each method is called
/// For each request: ``record(_:isHit:)`` once it is known whether it hits and before a miss is inserted; then, after the request
/// is served, ``candidate(_:after:)`` with 0, 1, 2 … until it answers nil. A candidate that is resident, or can never fit, is passed
/// over; for any other, ``fetched(_:)`` once it is resident. ``keeps(_:)`` before an object leaves for space, and ``evicted(_:)`` when it
/// has left, both at any moment between.
///
/// ### Implementers' notes
/// As for ``EvictionPolicy``: a `struct` that is `~Copyable` and owns flat buffers. Draw random numbers from the configuration's seed
/// alone. Each object may be kept only a bounded number of times between two requests for it: a replay asks until one leaves.
///
/// ### Using
/// Register the type in one line: `PrefetcherEntry(OBLPrefetcher.self)`.
public protocol Prefetcher: ~Copyable, SendableMetatype {
    /// The name, parameters and source of this prefetcher; its family is `prefetch`.
    static var descriptor: PolicyDescriptor { get }

    /// Whether ``PolicyConfiguration/successors`` must be filled, for which the keys of the trace must be numbers. The default is false.
    static var needsSuccessors: Bool { get }

    /// The least size that a candidate states with these parameters, in bytes; nil, as by default, if none states a size.
    static func smallestSize(_ parameters: ParameterValues) -> Int?

    /// Whether ``keeps(_:)`` must be asked. The default is false.
    var keepsVictims: Bool { get }

    /// A prefetcher that has seen nothing.
    ///
    /// The configuration is the eviction policy's with the parameters of this one.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    init(_ configuration: PolicyConfiguration) throws(AssayError)

    /// Takes note of a request.
    mutating func record(_ request: Request, isHit: Bool)

    /// The object to be fetched next after a request, of which `number` candidates were named; nil if there is no further one.
    mutating func candidate(_ number: Int, after request: Request) -> PrefetchCandidate?

    /// Takes note that a candidate is now resident. The default does nothing.
    mutating func fetched(_ id: ObjectID)

    /// Whether an object that is about to leave for space enters anew instead. The default is false.
    mutating func keeps(_ victim: ObjectID) -> Bool

    /// Takes note that an object has left for space. The default does nothing.
    mutating func evicted(_ id: ObjectID)
}

extension Prefetcher where Self: ~Copyable {
    /// Most learn from requests what follows what.
    public static var needsSuccessors: Bool { false }
    /// Most fetch objects that were requested before, which have sizes.
    public static func smallestSize(_ parameters: ParameterValues) -> Int? { nil }
    /// Most let go what leaves.
    public var keepsVictims: Bool { false }
    /// Does nothing.
    public mutating func fetched(_ id: ObjectID) {}
    /// False.
    public mutating func keeps(_ victim: ObjectID) -> Bool { false }
    /// Does nothing.
    public mutating func evicted(_ id: ObjectID) {}
}

/// An object that a prefetcher wants to be resident.
public struct PrefetchCandidate: Sendable, Hashable {
    /// The object.
    public var id: ObjectID
    /// Its size, in bytes; nil for that of its last request.
    public var size: Int?

    /// A candidate.
    public init(_ id: ObjectID, size: Int? = nil) {
        self.id = id
        self.size = size
    }
}

/// A prefetcher as a registry holds it.
public struct PrefetcherEntry: Sendable {
    /// What the prefetcher is.
    public let descriptor: PolicyDescriptor
    /// Whether the keys of the trace must be numbers.
    public let needsSuccessors: Bool
    private let openBody: @Sendable (PolicyConfiguration) throws(AssayError) -> AnyPrefetcher
    fileprivate let smallestSize: @Sendable (ParameterValues) -> Int?

    /// An entry of a type.
    public init<Body: Prefetcher & ~Copyable>(_: Body.Type) {
        descriptor = Body.descriptor
        needsSuccessors = Body.needsSuccessors
        smallestSize = { Body.smallestSize($0) }
        openBody = { (configuration) throws(AssayError) in PrefetcherBox<Body>(try Body(configuration)) }
    }

    /// A new prefetcher before a cache of this configuration, whose parameters are the prefetcher's.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    public func open(_ configuration: PolicyConfiguration) throws(AssayError) -> AnyPrefetcher {
        try openBody(configuration)
    }
}

/// A prefetcher with the parameters that it is to run with.
public struct PrefetcherSelection: Sendable {
    /// The prefetcher.
    public var entry: PrefetcherEntry
    /// Its parameters.
    public var parameters: ParameterValues

    /// A prefetcher with parameters.
    public init(_ entry: PrefetcherEntry, _ parameters: ParameterValues) {
        self.entry = entry
        self.parameters = parameters
    }

    /// A new prefetcher before a cache of this configuration, with random numbers of its own.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    public func open(_ configuration: PolicyConfiguration) throws(AssayError) -> AnyPrefetcher {
        var configuration = configuration
        configuration.parameters = parameters
        configuration.seed = mix64(configuration.seed &+ 0xFE7C)
        return try entry.open(configuration)
    }

    /// The least size that a candidate states, in bytes; nil if none does.
    var smallestSize: Int? { entry.smallestSize(parameters) }

    /// `name` or `name:parameter=value`: what to write to select it again.
    public var text: String { selectionText(entry.descriptor.name, parameters) }
}

/// A prefetcher with its type forgotten: a call through a table for each of its methods.
public class AnyPrefetcher {
    /// Whether ``keeps(_:)`` must be asked.
    public final let keepsVictims: Bool
    init(keepsVictims: Bool) { self.keepsVictims = keepsVictims }
    /// Takes note of a request.
    public func record(_ request: Request, isHit: Bool) { preconditionFailure("defined by PrefetcherBox") }
    /// The object to be fetched next after a request; nil if there is no further one.
    public func candidate(_ number: Int, after request: Request) -> PrefetchCandidate? {
        preconditionFailure("defined by PrefetcherBox")
    }
    /// Takes note that a candidate is now resident.
    public func fetched(_ id: ObjectID) { preconditionFailure("defined by PrefetcherBox") }
    /// Whether an object that is about to leave for space enters anew instead.
    public func keeps(_ victim: ObjectID) -> Bool { preconditionFailure("defined by PrefetcherBox") }
    /// Takes note that an object has left for space.
    public func evicted(_ id: ObjectID) { preconditionFailure("defined by PrefetcherBox") }
}

private final class PrefetcherBox<Body: Prefetcher & ~Copyable>: AnyPrefetcher {
    private var body: Body
    init(_ body: consuming Body) {
        let keepsVictims = body.keepsVictims
        self.body = body
        super.init(keepsVictims: keepsVictims)
    }
    override func record(_ request: Request, isHit: Bool) { body.record(request, isHit: isHit) }
    override func candidate(_ number: Int, after request: Request) -> PrefetchCandidate? {
        body.candidate(number, after: request)
    }
    override func fetched(_ id: ObjectID) { body.fetched(id) }
    override func keeps(_ victim: ObjectID) -> Bool { body.keeps(victim) }
    override func evicted(_ id: ObjectID) { body.evicted(id) }
}
