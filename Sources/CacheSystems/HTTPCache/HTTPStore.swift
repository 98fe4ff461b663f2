internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// What an ``HTTPCache`` has stored: records in a backend, long bodies in files, and the order in which they leave in memory.
///
/// ### What wins
/// A request is entered under its address before its origin is asked, and its answer is stored only if it is still entered: a removal
/// strikes out what began before it. Both hold the lock of the address's stripe.
///
/// ### What survives the end of the process
/// A body is in its place before the record that names it is written. Bodies that no record names are deleted at opening.
final class HTTPStore: Sendable {
    /// The requests under way for some of the addresses; its lock is that of their records too.
    final class Stripe: Sendable {
        let requests = Mutex(RequestsUnderWay())
    }

    /// A stored answer with its body.
    struct Found: Sendable {
        var answer: StoredAnswer
        let source: BodySource
    }

    let tiers: TieredCache<String, StoredResource>
    let monitor: EventMonitor<HTTPEvent, String>
    /// What each address weighs; the policy is here.
    let index: Cache<String, Int>
    let bodies: BodyFiles?
    let answersMax: Int
    let stripes: [Stripe]
    private let lastNumber: Atomic<UInt64>
    /// What the policy has given up and is still stored.
    private let victims = Mutex<[String]>([])

    init(
        _ options: HTTPCacheOptions, policy: PolicyEntry, parameters: ParameterValues?, storage: any StorageBackend
    ) throws {
        let records = NamespaceStorage(
            of: storage, prefix: CanonicalNode.text(options.name) + CanonicalNode.text("http"),
            closesLower: options.closesStore)
        let room = max(1, options.memoryBytesMax)
        // A task goes on in any thread: only one order of all reads is the order of its reads.
        var memory = CacheOptions<String, StoredResource>(capacity: .bytes(room))
        memory.order = .strict
        memory.weigher = { [isKept = options.memoryBytesMax > 0] _, resource in isKept ? resource.memory : room + 1 }
        tiers = try TieredCache(
            memory, policy: policy, parameters: parameters, over: records, codec: StoredResource.codec)
        var limit = CacheOptions<String, Int>(
            capacity: .bytes(options.storeBytesMax ?? Capacity.largestAmount))
        limit.weigher = { _, weight in weight }
        limit.order = .strict
        index = try Cache(limit, policy: policy, parameters: parameters)
        bodies = try options.bodyDirectory.map { try BodyFiles($0, options.bodySealing) }
        monitor = EventMonitor(options.monitor)
        answersMax = options.answersPerURLMax
        stripes = (0..<16).map { _ in Stripe() }
        lastNumber = Atomic(0)
        _ = index.onRemoval { [weak self] event in
            guard event.cause == .evicted else { return }
            self?.victims.withLock { $0.append(event.key) }
        }
        try adopt()
    }

    /// Takes over what is stored, and deletes bodies without a record.
    private func adopt() throws {
        var named: Set<UInt64> = []
        var last: UInt64 = 0
        // Sorted, so that who leaves first does not depend on the order of a hash table.
        for url in try tiers.storedKeys().sorted() {
            guard let resource = try undamaged(url) else { continue }
            named.formUnion(resource.files)
            last = max(last, resource.answers.map(\.number).max() ?? 0)
            if !index.put(resource.weight, for: url, tags: resource.groups).isStored { try drop(url) }
        }
        for number in try bodies?.numbers() ?? [] {
            if number <= StoredAnswer.numberMax { last = max(last, number) }
            if !named.contains(number) { bodies?.delete(number) }
        }
        lastNumber.store(last, ordering: .releasing)
        drain()
        tiers.dropMemory()
    }

    func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }
    func requireOpen() throws { if tiers.isClosed { throw HTTPCacheError.closed } }

    /// Does something under the lock of an address's stripe.
    func alone<Result: Sendable, Failure: Error>(
        _ url: String, _ body: (inout RequestsUnderWay) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try stripes[(url.hashValue >> 8) & (stripes.count - 1)].requests.withLock { (requests) throws(Failure) in
            try body(&requests)
        }
    }

    // MARK: Requests under way

    /// Enters a request; returns its number.
    func begin(_ url: String, groups: [String]) -> Int {
        let number = Int(truncatingIfNeeded: nextNumber())
        alone(url) { $0.enter(number, url, groups: groups) }
        return number
    }

    /// Strikes out a request that comes to nothing.
    func end(_ number: Int, _ url: String) { alone(url) { _ = $0.strike(number, url) } }

    /// Does something unless the request was overtaken.
    func whileEntered(_ number: Int, _ url: String, _ body: () -> Void) {
        alone(url) { if $0.contains(number, url) { body() } }
    }

    /// Another number after each change that overtakes requests for the address.
    func epoch(_ url: String) -> Int { alone(url) { $0.epoch } }

    // MARK: Reading

    /// The record of an address, nil if there is none; one that is damaged is removed.
    func undamaged(_ url: String) throws -> StoredResource? {
        do { return try tiers.value(for: url) } catch {
            guard error.code == .corrupt else { throw error }
            monitor.note(.damaged, url)
            try drop(url)
            return nil
        }
    }

    /// What is stored of an address, in the order in which it was stored. O(1) and at most one read.
    func answers(_ url: String) throws -> [StoredAnswer] {
        try requireOpen()
        return try alone(url) { _ in try undamaged(url)?.answers ?? [] }
    }

    /// One of the answers of an address, with its body. O(1), at most one read, and the opening of a file.
    func find(_ url: String, _ select: ([StoredAnswer]) -> StoredAnswer?) throws -> Found? {
        try requireOpen()
        return try alone(url) { _ in
            guard let resource = try undamaged(url), let answer = select(resource.answers) else { return nil }
            _ = index.value(for: url)
            switch answer.body {
            case .bytes(let bytes): return Found(answer: answer, source: .bytes(bytes))
            case .file(let length):
                let file = try bodies?.open(answer.number, length: length) { [weak self] in
                    try? self?.discard(answer.number, of: url)
                }
                if let file { return Found(answer: answer, source: .file(file, length: length)) }
                monitor.note(.damaged, url)
                try write(url) { $0.answers.removeAll { $0.number == answer.number } }
                return nil
            }
        }
    }

    /// Removes an answer whose body shows damage while it is read.
    private func discard(_ number: UInt64, of url: String) throws {
        monitor.note(.damaged, url)
        try change(url) { $0.answers.removeAll { $0.number == number } }
    }

    // MARK: Writing

    /// Changes the record of an address under its lock, and deletes what is left out. Strikes out the requests under way if they are
    /// overtaken by it; as the end of a request it does nothing, and returns false, if that was overtaken.
    @discardableResult
    func change(
        _ url: String, overtakes: Bool = false, endOf number: Int? = nil, _ body: (inout StoredResource) -> Void
    ) throws -> Bool {
        try requireOpen()
        defer { drain() }
        return try alone(url) { requests in
            if let number, !requests.strike(number, url) { return false }
            if overtakes { requests.overtake(url) }
            try write(url, body)
            return true
        }
    }

    /// Stores what a request gave, whose body is in its place or beside it, unless it was overtaken, or something newer came sooner.
    func publish(_ answer: StoredAnswer, to request: HTTPFields, _ url: String, from number: Int?) -> HTTPEvent {
        defer { drain() }
        return alone(url) { requests in
            if let number {
                guard requests.strike(number, url) else { return .overtaken }
            } else {
                requests.overtake(url)
            }
            do {
                let others = try undamaged(url)?.answers ?? []
                guard !others.contains(where: { $0.isFor(request) && $0.number > answer.number }) else {
                    return .overtaken
                }
                try requireOpen()
                if case .file = answer.body { try bodies?.publish(answer.number) }
                let isKept = try write(url) { $0.put(answer, to: request, answersMax: answersMax) }
                return isKept ? .stored : .displaced
            } catch {
                // What was there is older than what could not be stored.
                try? drop(url)
                bodies?.delete(answer.number)
                return .storeFailed
            }
        }
    }

    /// Writes a record; returns whether the policy lets it stay.
    @discardableResult
    private func write(_ url: String, _ body: (inout StoredResource) -> Void) throws -> Bool {
        let old = try undamaged(url)
        var new = old ?? StoredResource()
        body(&new)
        guard !new.answers.isEmpty else {
            if old != nil { try drop(url, old) }
            return false
        }
        try tiers.put(new, for: url)
        for number in (old?.files ?? []).subtracting(new.files) { bodies?.delete(number) }
        switch index.put(new.weight, for: url, tags: new.groups) {
        // A cache that is being closed lets nothing leave any more.
        case .stored, .replaced, .refused(.closed): return true
        case .refused:
            try drop(url, new)
            return false
        }
    }

    /// Removes the record of an address, and then its bodies.
    func drop(_ url: String, _ known: StoredResource? = nil) throws {
        let resource = known ?? ((try? tiers.peek(url)) ?? nil)
        index.remove(url)
        _ = try tiers.remove(url)
        for number in resource?.files ?? [] { bodies?.delete(number) }
    }

    /// Removes what the policy has given up. Not under the lock of a stripe: victims have stripes of their own.
    func drain() {
        while let url = victims.withLock({ $0.popLast() }) {
            alone(url) { _ in
                // It may have been stored again.
                guard !index.contains(url) else { return }
                try? drop(url)
                monitor.note(.displaced, url)
            }
        }
    }

    var weight: Int { index.weight }

    func close() throws {
        try tiers.close()
        index.close()
        bodies?.close()
    }
}
