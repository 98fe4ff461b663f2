public import CacheEngine

/// How an ``HTTPCache`` behaves, besides its policy.
public struct HTTPCacheOptions: Sendable {
    /// What its entries are known by in the store. Caches of different names in one store see nothing of each other, if their
    /// directories for bodies differ too.
    public var name: String
    /// For whom it is.
    public var profile = HTTPProfile.private
    /// The directory for long bodies, which belongs to this cache alone; nil to keep every body in the store, in memory as a whole while
    /// it comes.
    public var bodyDirectory: String?
    /// What the files of long bodies look like: by default as the bodies are, with checksums. Who encrypts them encrypts the store too.
    public var bodySealing: any BodySealing = ChecksummedBodies()
    /// The longest body that is kept in the store beside its record; longer ones have a file.
    public var inlineBytesMax = 16 << 10
    /// The longest body that is stored; longer ones are passed on alone. No more than this is ever written down of one.
    public var bodyBytesMax = 1 << 40
    /// How long those who share a body that turns out to be too long to be stored wait for one of them that takes nothing of
    /// it; that one then gets ``HTTPCacheError/leftBehind``. Nobody is left behind who reads alone.
    public var slowReaderWait: Duration = .seconds(30)
    /// How many bytes may be stored, of bodies and what is known of them; nil for no limit. What must leave is the policy's choice.
    public var storeBytesMax: Int?
    /// The most answers that are stored for one address, for different requests; the oldest leaves.
    public var answersPerURLMax = 32
    /// The bytes of records that memory holds in front of the store; 0 for no memory.
    public var memoryBytesMax = 16 << 20
    /// Whether a shared cache stores answers with `Set-Cookie`, whose cookies it then hands to everybody: only those with an explicit
    /// lifetime even so. Without it they are stored where their origin says that the field is to be kept from others
    /// (`private="Set-Cookie"`, `no-cache="Set-Cookie"`). A private cache stores them as any other.
    public var storesCookies = false
    /// The part of the time since its last change for which an answer that does not say is fresh.
    public var heuristicFraction = 0.1
    /// The longest time for which such an answer is fresh.
    public var heuristicLifetimeMax: Duration = .seconds(86_400)
    /// Whether a stale answer is served when the origin cannot be reached, unless it forbids that.
    public var servesWhenUnreachable = true
    /// The most requests to which the origin has not begun to answer; others wait, by their priorities.
    public var originRequestsMax = 64
    /// The most requests that wait; one more is answered at once by ``HTTPCacheError/busy(retryAfterSeconds:)``.
    public var originWaitersMax = 1_024
    /// How long a request waits before it is answered so; the time in which none is let through
    /// (``HTTPCache/setSuspended(_:)``) does not count.
    public var originWaitLimit: Duration = .seconds(10)
    /// Measures how long requests wait.
    public var timer: any Clock<Duration> = ContinuousClock()
    /// The longest body that is asked for as a whole, and stored, where a request wants a part of it, its header, or to know whether its
    /// client has it; 0 to ask the origin as the client does. Longer ones are not stored for such a request, and no more
    /// than ``originRequestsMax`` are asked for so at once.
    public var fillBytesMax = 64 << 20
    /// Whether closing the cache closes the store: not where other caches go on using it.
    public var closesStore = true
    /// Where the time comes from. It goes on from the date at opening, whatever becomes of that.
    public var clock: any CacheClock = SystemClock()
    /// Is told each event and the address it is about, empty where it is about all; on the thread where it happens, under no lock.
    public var monitor: (@Sendable (HTTPEvent, String) -> Void)?

    /// The defaults under a name.
    public init(_ name: String) { self.name = name }
}

/// What one request asks of the cache, besides what its fields say.
public struct HTTPRequestOptions: Sendable {
    /// Where its answer may come from.
    public enum Use: String, Sendable, Hashable, Codable, CaseIterable {
        /// By the rules.
        case standard
        /// The origin alone; what is stored is not looked at, and replaced.
        case reload
        /// The origin is asked whether what is stored still holds, fresh or not.
        case revalidate
        /// What is stored, fresh or stale, unless it forbids that; otherwise the origin.
        case cacheElseOrigin
        /// What is stored, at once; the origin is asked beside it unless that is fresh.
        case cacheThenRefresh
        /// What is stored, fresh or stale, unless it forbids that; the origin is never asked.
        case cacheOnly
    }

    /// Where its answer may come from.
    public var use = Use.standard
    /// Whether its answer may be stored.
    public var stores = true
    /// Which requests go to the origin first where too many want to: the higher. One that shares a request lends it its own.
    public var priority = 0
    /// Whoever asks, as by an IP address: at half of the turns (``HTTPCacheOptions/originRequestsMax``), of the places to wait and of what is
    /// asked for as a whole (``HTTPCacheOptions/fillBytesMax``), others come first. Nil for no such limit.
    public var client: String?
    /// Names under which what is stored for it can be purged.
    public var groups: [String] = []
    /// Bytes that are kept beside what is stored for it.
    public var userData: [UInt8]?

    /// By the rules.
    public init(_ use: Use = .standard) { self.use = use }
}

/// What became of a request, or of what is stored.
public enum HTTPEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// A request was answered by what is stored and fresh.
    case hit
    /// A request was answered by what is stored and stale.
    case staleHit
    /// Nothing that is stored was for a request.
    case miss
    /// The origin was asked.
    case asked
    /// The origin has confirmed what is stored.
    case confirmed
    /// The origin could not be reached.
    case originFailed
    /// What is stored was served since the origin failed.
    case servedOnError
    /// A request shares the answer of another.
    case shared
    /// What is stored is being confirmed beside the answer that it gave.
    case refreshing
    /// An answer was stored.
    case stored
    /// An answer could not be stored; those who asked have it all the same.
    case storeFailed
    /// A body did not come whole, and is not stored.
    case truncated
    /// A body is too long to be stored.
    case tooLong
    /// An answer was overtaken by a removal, and is not stored.
    case overtaken
    /// An answer was removed for others to have room.
    case displaced
    /// What is stored must be confirmed before it is served again.
    case invalidated
    /// What is stored was removed.
    case purged
    /// What is stored was damaged, and was removed.
    case damaged
}

/// How often each event has happened: exact counts since the cache was opened.
public typealias HTTPStatistics = EventCounts<HTTPEvent>
