/// Keeps bytes under byte keys: in memory, in files, in a database, behind a socket.
///
/// ### Purpose
/// A backend holds what a policy decides to keep. It never evicts on its own unless its claims say so.
///
/// ### When each method is called
/// A backend is opened on a place that belongs to it alone. All calls may come from several threads at once when the
/// claims say ``StorageClaims/isConcurrent``; otherwise one at a time. After ``close()`` only `close()` may be called;
/// every other call throws ``StoreError/closed``.
///
/// ### Implementers' notes
/// Keys and values are exact bytes: nothing is folded, trimmed or decoded. A key or value above the declared limit throws
/// and leaves the store as it was, but a refused value also drops the old one under that key, so that nobody reads
/// yesterday's value as today's. A put that throws leaves either the old value or none, never a torn one; a store that cannot
/// promise this for the next opening says so in ``StorageClaims/undoesFailedPuts``, and the new value may be found then.
///
/// ### Using
/// Register the type in one line: `BackendEntry(FileStorage.self)`, and prove it with `CacheConformance`.
public protocol StorageBackend: AnyObject, Sendable {
    /// The name, parameters and description of this backend.
    static var descriptor: BackendDescriptor { get }

    /// What this instance promises. Constant for its life.
    var claims: StorageClaims { get }

    /// Opens a store, empty or as it was left in the configured place.
    init(_ configuration: BackendConfiguration) throws(StoreError)

    /// The entry under a key, nil if there is none.
    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry?

    /// Stores an entry, replacing what was under the key.
    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError)

    /// Removes the entry under a key and returns whether there was one.
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool

    /// Removes every entry. The store stays usable.
    func removeAll() throws(StoreError)

    /// The number of entries. A store that does not claim ``StorageClaims/iterates`` may throw ``StoreError/Code/unsupported``.
    func count() throws(StoreError) -> Int

    /// Every key once, in any order, as of some moment during the call. A store that does not claim
    /// ``StorageClaims/iterates`` may throw ``StoreError/Code/unsupported``.
    func keys() throws(StoreError) -> [[UInt8]]

    /// Whether there is an entry under a key. The default reads the entry.
    func contains(_ key: [UInt8]) throws(StoreError) -> Bool

    /// Makes everything acknowledged so far durable at the claimed level. The default does nothing.
    func flush() throws(StoreError)

    /// Releases every resource. Calling it again does nothing.
    func close() throws(StoreError)
}

extension StorageBackend {
    /// Reads the entry to see whether it is there.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool { try get(key) != nil }
    /// Nothing to make durable.
    public func flush() throws(StoreError) {}
}

/// A value with what is known about it.
public struct StoredEntry: Sendable, Hashable {
    /// The value's bytes.
    public var value: [UInt8]
    /// When the entry stops being valid, in nanoseconds since 1970 UTC; nil for never.
    ///
    /// A backend only keeps it: whoever owns the clock decides what has expired.
    public var expiresAtNanoseconds: Int64?

    /// An entry that never expires unless a moment is given.
    public init(_ value: [UInt8], expiresAtNanoseconds: Int64? = nil) {
        self.value = value
        self.expiresAtNanoseconds = expiresAtNanoseconds
    }
}

/// What survives the end of the process that wrote it.
public enum DurabilityLevel: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Nothing: the store ends with the instance.
    case volatile
    /// What was acknowledged survives `close()` and an orderly exit.
    case exit
    /// What was acknowledged survives SIGKILL.
    case kill
    /// What was acknowledged survives a power cut.
    case power

    /// Weaker levels come first.
    public static func < (a: DurabilityLevel, b: DurabilityLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// What a backend promises, and so which conformance checks are due.
public struct StorageClaims: Sendable, Hashable, Codable {
    /// The longest key, in bytes.
    public var keyBytesMax: Int
    /// Whether the empty key can be used.
    public var allowsEmptyKey: Bool
    /// The longest value, in bytes.
    public var valueBytesMax: Int
    /// Whether everything put stays until it is removed: no eviction of the backend's own.
    public var retains: Bool
    /// Whether ``StorageBackend/keys()`` and ``StorageBackend/count()`` are exact when nothing else runs.
    public var iterates: Bool
    /// What survives the process.
    public var durability: DurabilityLevel
    /// Whether calls may come from several threads at once.
    public var isConcurrent: Bool
    /// Whether the bytes of old versions and removed entries are given back, at the next opening at the latest.
    public var compacts: Bool
    /// Whether damage to the files of a closed store is noticed: what it has hit is absent or an error, and never wrong.
    public var detectsDamage: Bool
    /// Whether a put that threw is undone for good: the next opening, too, finds the old value or none, and not the new one.
    public var undoesFailedPuts: Bool

    /// Claims; the defaults are those of an exact in-memory map.
    public init(
        keyBytesMax: Int = 65_536, allowsEmptyKey: Bool = true, valueBytesMax: Int = 1 << 30, retains: Bool = true,
        iterates: Bool = true, durability: DurabilityLevel = .volatile, isConcurrent: Bool = true,
        compacts: Bool = false, detectsDamage: Bool = false, undoesFailedPuts: Bool = true
    ) {
        self.compacts = compacts
        self.detectsDamage = detectsDamage
        self.undoesFailedPuts = undoesFailedPuts
        self.keyBytesMax = keyBytesMax
        self.allowsEmptyKey = allowsEmptyKey
        self.valueBytesMax = valueBytesMax
        self.retains = retains
        self.iterates = iterates
        self.durability = durability
        self.isConcurrent = isConcurrent
    }

    /// Reads claims; what a store on disk promises besides is not claimed where it is left out, but for what every store
    /// promises unless it says otherwise: that failed puts are undone.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        keyBytesMax = try values.decode(Int.self, forKey: .keyBytesMax)
        allowsEmptyKey = try values.decode(Bool.self, forKey: .allowsEmptyKey)
        valueBytesMax = try values.decode(Int.self, forKey: .valueBytesMax)
        retains = try values.decode(Bool.self, forKey: .retains)
        iterates = try values.decode(Bool.self, forKey: .iterates)
        durability = try values.decode(DurabilityLevel.self, forKey: .durability)
        isConcurrent = try values.decode(Bool.self, forKey: .isConcurrent)
        compacts = try values.decodeIfPresent(Bool.self, forKey: .compacts) ?? false
        detectsDamage = try values.decodeIfPresent(Bool.self, forKey: .detectsDamage) ?? false
        undoesFailedPuts = try values.decodeIfPresent(Bool.self, forKey: .undoesFailedPuts) ?? true
    }
}

/// Where and how a backend opens.
public struct BackendConfiguration: Sendable {
    /// A directory that belongs to this store alone; created if it is missing. Nil for a purely volatile store.
    public var directory: String?
    /// The backend's parameters.
    public var parameters: ParameterValues

    /// A store in `directory`.
    public init(directory: String?, parameters: ParameterValues) {
        self.directory = directory
        self.parameters = parameters
    }
}

/// What a backend is: the words that `assay list backends` prints.
public struct BackendDescriptor: Sendable, Hashable {
    /// The name on the command line, lower-case.
    public var name: String
    /// One sentence that says where the bytes are.
    public var summary: String
    /// The library, format or system it stands on.
    public var citation: String
    /// What can be tuned.
    public var parameters: [ParameterSpecification]
    /// Whether it needs a directory.
    public var needsDirectory: Bool
    /// Whether it may end its process or keep memory for good, so that it is driven in a child process only.
    public var needsOwnProcess: Bool

    /// A descriptor; a backend without parameters leaves them out.
    public init(
        name: String, summary: String, citation: String, parameters: [ParameterSpecification] = [],
        needsDirectory: Bool, needsOwnProcess: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.citation = citation
        self.parameters = parameters
        self.needsDirectory = needsDirectory
        self.needsOwnProcess = needsOwnProcess
    }
}

/// A backend as a registry holds it.
public struct BackendEntry: Sendable {
    /// What the backend is.
    public let descriptor: BackendDescriptor
    private let openBody: @Sendable (BackendConfiguration) throws(StoreError) -> any StorageBackend

    /// An entry for a backend type.
    public init<Backend: StorageBackend>(_ type: Backend.Type) {
        descriptor = type.descriptor
        openBody = { (configuration) throws(StoreError) in try Backend(configuration) }
    }

    /// An entry for a backend that needs more than its configuration to open, such as other backends.
    public init(
        _ descriptor: BackendDescriptor,
        open: @escaping @Sendable (BackendConfiguration) throws(StoreError) -> any StorageBackend
    ) {
        self.descriptor = descriptor
        openBody = open
    }

    /// Opens a store, with the default parameters unless others are given.
    public func open(directory: String?, parameters: ParameterValues? = nil) throws(StoreError) -> any StorageBackend {
        let values = parameters ?? ParameterValues(defaults: descriptor.parameters)
        return try openBody(BackendConfiguration(directory: directory, parameters: values))
    }
}
