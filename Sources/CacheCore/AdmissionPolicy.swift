/// A rule that decides which missed objects may enter a cache, whatever its eviction policy.
///
/// ### Purpose
/// Most objects of many workloads are asked for once; keeping them out spares the others and the writes. An admission
/// policy stands before an eviction policy, which never learns of what was refused.
///
/// ### When each method is called
/// ``record(_:)`` for every request, hit or miss, before it is served. ``admits(_:over:)`` for a miss that the eviction
/// policy could take, before it is offered; if ``comparesEachVictim`` is true, once for each object that would have to
/// leave.
///
/// ### Implementers' notes
/// As for ``EvictionPolicy``: a `struct` that is `~Copyable` and owns flat buffers. Draw random numbers from the
/// configuration's seed alone.
///
/// ### Using
/// Register the type in one line: `AdmissionEntry(ProbabilityAdmission.self)`.
public protocol AdmissionPolicy: ~Copyable, SendableMetatype {
    /// The name, parameters and source of this policy; its family is `admission`.
    static var descriptor: PolicyDescriptor { get }

    /// Whether ``Request/nextIndex`` must be filled. The default is false.
    static var needsFuture: Bool { get }

    /// Whether ``record(_:)`` must be called. The default is false.
    static var needsRecord: Bool { get }

    /// Whether ``admits(_:over:)`` looks at the victim. The default is true; where it is false the eviction policy is not asked who
    /// would leave, which moves the hand of some.
    static var needsVictim: Bool { get }

    /// What the filter looks at, with these parameters and in that unit of the capacity, that a live cache does not know, as words
    /// such as `sizes`; nil if nothing. The default names the future where that is needed.
    static func unknownToCaches(_ parameters: ParameterValues, in unit: Capacity.Unit) -> String?

    /// The columns of a trace that the filter asks for with these parameters; on a trace that does not state one, it is not
    /// applicable. The default is none.
    static func columns(_ parameters: ParameterValues) -> Set<AdmissionColumn>

    /// Whether a newcomer that needs the room of several objects must be let in over each of them. The default is false:
    /// it is let in over the first, or not.
    ///
    /// Those that it was let in over have left when it is refused over a later one, and leave no ghosts.
    var comparesEachVictim: Bool { get }

    /// A filter that has seen nothing.
    ///
    /// The configuration is the eviction policy's with the parameters of this one.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    init(_ configuration: PolicyConfiguration) throws(AssayError)

    /// Takes note of a request. The default does nothing.
    mutating func record(_ request: Request)

    /// Whether a missed object may enter.
    ///
    /// - Parameter victim: The object that would leave first to make room; nil while there is room and where ``needsVictim`` is
    ///   false. Where the eviction
    ///   policy cannot tell, the object that it evicted last stands in, and nil if it has evicted none. Some policies
    ///   may name the newcomer itself, which is then evicted whatever the answer.
    mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool

    /// Whether a missed object may enter where the object that was evicted last stands in for a victim, and its id may be
    /// another object's by now.
    ///
    /// Only in live caches. The default, for filters that look at no victim, asks ``admits(_:over:)`` with none.
    ///
    /// - Parameter identity: What ``PolicyConfiguration/identities`` said of that object.
    mutating func admits(_ request: Request, overIdentity identity: UInt64) -> Bool
}

extension AdmissionPolicy where Self: ~Copyable {
    /// Most know nothing of the future.
    public static var needsFuture: Bool { false }
    /// Most look at misses alone.
    public static var needsRecord: Bool { false }
    /// Whoever does not say so is told.
    public static var needsVictim: Bool { true }
    /// Most compare with one victim or none.
    public var comparesEachVictim: Bool { false }
    /// Does nothing.
    public mutating func record(_ request: Request) {}
    /// Most look at nothing but what they are asked.
    public static func unknownToCaches(_ parameters: ParameterValues, in unit: Capacity.Unit) -> String? {
        needsFuture ? "the future" : nil
    }
    /// Most ask for no column.
    public static func columns(_ parameters: ParameterValues) -> Set<AdmissionColumn> { [] }
    /// Most look at no victim.
    public mutating func admits(_ request: Request, overIdentity identity: UInt64) -> Bool {
        admits(request, over: nil)
    }
}

/// A column that an admission policy may ask for; as text, what the trace would state.
public enum AdmissionColumn: String, Sendable {
    case sizes, costs
    case timesToLive = "times to live"
}

/// An admission policy as a registry holds it.
public struct AdmissionEntry: Sendable {
    /// What the policy is.
    public let descriptor: PolicyDescriptor
    /// Whether the policy must know the future.
    public let needsFuture: Bool
    private let openBody: @Sendable (PolicyConfiguration) throws(AssayError) -> AnyAdmissionPolicy
    fileprivate let unknownToCaches: @Sendable (ParameterValues, Capacity.Unit) -> String?
    fileprivate let columns: @Sendable (ParameterValues) -> Set<AdmissionColumn>

    /// An entry of a type.
    public init<Admission: AdmissionPolicy & ~Copyable>(_: Admission.Type) {
        descriptor = Admission.descriptor
        needsFuture = Admission.needsFuture
        unknownToCaches = { Admission.unknownToCaches($0, in: $1) }
        columns = { Admission.columns($0) }
        openBody = { (configuration) throws(AssayError) in AdmissionBox<Admission>(try Admission(configuration)) }
    }

    /// A new filter before a cache of this configuration, whose parameters are the filter's.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    public func open(_ configuration: PolicyConfiguration) throws(AssayError) -> AnyAdmissionPolicy {
        try openBody(configuration)
    }
}

/// An admission policy with the parameters that it is to run with.
public struct AdmissionSelection: Sendable {
    /// The policy.
    public var entry: AdmissionEntry
    /// Its parameters.
    public var parameters: ParameterValues

    /// An admission policy with parameters.
    public init(_ entry: AdmissionEntry, _ parameters: ParameterValues) {
        self.entry = entry
        self.parameters = parameters
    }

    /// A new filter before a cache of this configuration.
    ///
    /// Its seed comes from the configuration's, but its numbers are not those that the eviction policy draws.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    public func open(_ configuration: PolicyConfiguration) throws(AssayError) -> AnyAdmissionPolicy {
        var configuration = configuration
        configuration.parameters = parameters
        configuration.seed = mix64(~configuration.seed)
        return try entry.open(configuration)
    }

    /// What it looks at that a live cache with a capacity in that unit does not know, in words; nil if nothing.
    public func unknownToCaches(in unit: Capacity.Unit) -> String? { entry.unknownToCaches(parameters, unit) }

    /// The columns of a trace that it asks for.
    public var columns: Set<AdmissionColumn> { entry.columns(parameters) }

    /// `name` or `name:parameter=value`: what to write to select it again.
    public var text: String { selectionText(entry.descriptor.name, parameters) }
}

/// An admission policy with its type forgotten: a call through a table for a miss, and for a hit where it counts them.
///
/// Any of the admission policies may stand before any of the eviction policies; specialising each pair would multiply the
/// code for what costs a nanosecond or two.
public class AnyAdmissionPolicy {
    /// Whether ``record(_:)`` must be called.
    public final let needsRecord: Bool
    /// Whether it looks at the victim.
    public final let needsVictim: Bool
    /// Whether it must be asked for each victim.
    public final let comparesEachVictim: Bool
    /// Whether everything enters unasked: for whoever moves the residents of one cache to another.
    public final var isOpen = false
    init(needsRecord: Bool, needsVictim: Bool, comparesEachVictim: Bool) {
        self.needsRecord = needsRecord
        self.needsVictim = needsVictim
        self.comparesEachVictim = comparesEachVictim
    }
    /// Takes note of a request.
    public func record(_ request: Request) { preconditionFailure("defined by AdmissionBox") }
    /// Whether a missed object may enter.
    public func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        preconditionFailure("defined by AdmissionBox")
    }
    /// Whether a missed object may enter over one that has left, and whose id may be another's.
    public func admits(_ request: Request, overIdentity identity: UInt64) -> Bool {
        preconditionFailure("defined by AdmissionBox")
    }
}

private final class AdmissionBox<Admission: AdmissionPolicy & ~Copyable>: AnyAdmissionPolicy {
    private var admission: Admission
    init(_ admission: consuming Admission) {
        let comparesEachVictim = admission.comparesEachVictim
        self.admission = admission
        super.init(
            needsRecord: Admission.needsRecord, needsVictim: Admission.needsVictim,
            comparesEachVictim: comparesEachVictim)
    }
    override func record(_ request: Request) { admission.record(request) }
    override func admits(_ request: Request, over victim: ObjectID?) -> Bool { admission.admits(request, over: victim) }
    override func admits(_ request: Request, overIdentity identity: UInt64) -> Bool {
        admission.admits(request, overIdentity: identity)
    }
}
