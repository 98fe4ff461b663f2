import CacheCore

@testable import PolicySupport

/// TinyCache with an array for each chain of each set.
final class NaiveTinyCache: NaiveConfiguredModel {
    /// What a set holds: an object, or a fingerprint.
    private typealias Chains = [[UInt64]]

    /// Sets that draw whom they evict.
    private struct Sets {
        var chains: [Chains]
        var rooms: [Int]
        var random: JavaRandom

        init(_ count: Int, _ capacity: Int, _ random: JavaRandom) {
            chains = Array(repeating: Array(repeating: [], count: 64), count: count)
            rooms = (0..<count).map { capacity / count + ($0 < capacity % count ? 1 : 0) }
            self.random = random
        }

        func isFull(_ set: Int) -> Bool { chains[set].reduce(0) { $0 + $1.count } == rooms[set] }

        /// The place of an entry that is drawn.
        mutating func draw(_ set: Int) -> (chain: Int, place: Int) {
            var rest = Int(random.nextInt(below: Int32(rooms[set])))
            for (chain, entries) in chains[set].enumerated() {
                if rest < entries.count { return (chain, rest) }
                rest -= entries.count
            }
            fatalError("only full sets draw")
        }
    }

    private struct Hash {
        var fingerprint: UInt64
        var chain: Int
        var rest: UInt64

        init(_ item: UInt64) {
            let hash = ((0xE17A_1465 ^ NaiveTinyCache.m) ^ item) &* NaiveTinyCache.m
            fingerprint = hash % 256 == 0 ? 1 : hash % 256
            chain = Int(hash / 256 % 64)
            rest = hash / 256 / 64
        }
    }

    fileprivate static let m: UInt64 = 0xC6A4_A793_5BD1_E995

    private var main: Sets
    private var window: Sets?
    private var sketch: Sets?
    private let keys: ObjectKeys?

    init(_ configuration: PolicyConfiguration) {
        let parameters = configuration.parameters
        let capacity = min(configuration.capacity.amount, 4 * configuration.objects.count)
        let isCaffeine = parameters.text("dialect") == "caffeine"
        let seed: Int64 = isCaffeine ? 1_033_096_058 : Int64(configuration.seed)
        let windowed = parameters.integer("window")
        let rest = capacity > windowed ? capacity - windowed : capacity
        let count = (rest + 63) / 64
        main = Sets(count, rest, JavaRandom(seed: seed))
        if capacity > windowed, windowed > 0 {
            window = Sets(1, windowed, JavaRandom(seed: isCaffeine ? 0 : seed + 2))
        }
        if parameters.text("filter") == "counts" {
            sketch = Sets(count * 10, count * 640, JavaRandom(seed: seed + 1))
        }
        keys = configuration.keys
    }

    var residents: [ObjectID] {
        Array(Set((main.chains + (window?.chains ?? [])).joined().joined().map { ObjectID($0) }))
    }
    var ghosts: [ObjectID] { [] }

    func remove(_ id: ObjectID) {
        for set in main.chains.indices {
            for chain in 0..<64 { main.chains[set][chain].removeAll { $0 == UInt64(id) } }
        }
        guard window != nil else { return }
        for chain in 0..<64 { window!.chains[0][chain].removeAll { $0 == UInt64(id) } }
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        defer { record(request.id) }
        if residents.contains(request.id) { return NaiveStep(hit: true) }
        let hash = Hash(mix(request.id))
        let set = Int(hash.rest % UInt64(main.chains.count))
        var exchanged = false
        var left: [ObjectID] = []
        if main.isFull(set) {
            let (chain, place) = main.draw(set)
            let victim = ObjectID(main.chains[set][chain][place])
            if sketch == nil || requests(request.id) > requests(victim) {
                main.chains[set][chain].remove(at: place)
                exchanged = true
                left.append(victim)
            }
        }
        if !main.isFull(set) { main.chains[set][hash.chain].insert(UInt64(request.id), at: 0) }
        if window != nil, !exchanged {
            if window!.isFull(0) {
                let (chain, place) = window!.draw(0)
                left.append(ObjectID(window!.chains[0][chain].remove(at: place)))
            }
            window!.chains[0][hash.chain].insert(UInt64(request.id), at: 0)
        }
        let residents = residents
        return NaiveStep(hit: false, evicted: left.filter { !residents.contains($0) })
    }

    private func mix(_ id: ObjectID) -> UInt64 { Self.mix(keys?[id] ?? UInt64(id)) }

    private static func mix(_ key: UInt64) -> UInt64 {
        let item = key &* m
        return (item ^ item >> 47) &* m
    }

    private func sketched(_ id: ObjectID) -> (hash: Hash, set: Int) {
        let hash = Hash(Self.mix(mix(id) << 1 | 1))
        return (hash, Int(hash.rest % UInt64(sketch!.chains.count)))
    }

    private func requests(_ id: ObjectID) -> Int {
        let (hash, set) = sketched(id)
        return sketch!.chains[set][hash.chain].count { $0 == hash.fingerprint }
    }

    private func record(_ id: ObjectID) {
        guard sketch != nil, requests(id) < 10 else { return }
        let (hash, set) = sketched(id)
        if sketch!.isFull(set) {
            let (chain, place) = sketch!.draw(set)
            sketch!.chains[set][chain].remove(at: place)
        }
        sketch!.chains[set][hash.chain].insert(hash.fingerprint, at: 0)
    }
}
