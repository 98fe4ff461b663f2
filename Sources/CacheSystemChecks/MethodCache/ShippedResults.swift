/// The three caches of the original, with the mistakes of their code: what a set of a present key, a tie and expiry do.
struct ShippedResults {
    /// What is kept under a key.
    struct Entry {
        var key: String
        var value: MethodValue
        var createdNanoseconds: Int64
        var count = 1
    }

    private let policy: String
    private let size: Int
    private let timeoutNanoseconds: Int64?
    /// The order of eviction, the next victim first; an LRU that was overwritten holds a key twice.
    private var order: [Entry] = []

    init(_ setup: MethodSetup) {
        policy = setup.policy
        size = setup.capacity
        timeoutNanoseconds = setup.lifeNanoseconds
    }

    mutating func removeAll() { order = [] }

    /// The policy of expiry is asked on get alone, so that what is over takes room until somebody asks for it.
    mutating func value(_ key: String, now: Int64) -> MethodValue? {
        guard let place = order.firstIndex(where: { $0.key == key }) else { return nil }
        if let timeoutNanoseconds, now - order[place].createdNanoseconds >= timeoutNanoseconds {
            order.remove(at: place)
            return nil
        }
        let value = order[place].value
        switch policy {
        case "lru": order.append(order.remove(at: place))
        case "lfu":
            order[place].count += 1
            sort()
        default: break
        }
        return value
    }

    mutating func set(_ value: MethodValue, _ key: String, now: Int64) {
        let entry = Entry(key: key, value: value, createdNanoseconds: now)
        switch policy {
        case "fifo":
            // A key that is there keeps its old value.
            guard !order.contains(where: { $0.key == key }) else { return }
            if order.count == size { order.removeFirst() }
            order.append(entry)
        case "lru":
            // The test for a key that is there compares an unsigned number with -1, and is never true.
            order.append(entry)
            while order.count > size {
                // The values lie in a dictionary beside the order: with the victim's key both of its places lose theirs.
                let victim = order.removeFirst()
                order.removeAll { $0.key == victim.key }
            }
        default:
            order.removeAll { $0.key == key }
            // The victim goes before the newcomer is in, and among equals it is the one that came last.
            if order.count == size { order.removeFirst() }
            order.insert(entry, at: 0)
            sort()
        }
    }

    private mutating func sort() {
        let ranked = order.enumerated().sorted { ($0.element.count, $0.offset) < ($1.element.count, $1.offset) }
        order = ranked.map(\.element)
    }
}
