import CacheCore
import Synchronization

// Lists, snapshots and cancellation among busy clients.
extension LinearizabilityChecks {
    static func listsAmongWriters(_ context: CheckContext) throws(CheckStop) {
        let calm = (0..<20).map { Array("calm-\($0)".utf8) }
        let busy = (0..<20).map { Array("busy-\($0)".utf8) }
        let judge = ListJudge(
            calm: Set(calm), known: Set(calm + busy), mustFind: context.semantics(CacheSetup()) == .exact)
        let (seed, writers) = (context.seed, context.claims.concurrency.clientsMax > 2 ? 2 : 1)
        try context.eachRunBesideWriters(
            6, writesMin: 300, what: "lists", after: calm.enumerated().map { .put($1, value($0)) },
            steps: [
                "put 20 keys that nobody touches again",
                "clients 0 and 1, 150 times or more: put, overwrite or remove one of 20 keys",
                "clients 2 and 3, meanwhile: keys, count",
            ], permitted: "each key once, and the keys that nobody touches"
        ) { thread, run, instance, overlap in
            guard thread < writers else { return overlap.read { judge.complaint(about: instance) } }
            var random = SeededGenerator(seed: mix64(seed &+ UInt64(run)) ^ UInt64(thread))
            return overlap.write { round in
                let key = busy[2 * random.next(below: 10) + thread]
                let operation: CacheOperation =
                    round % 3 == 2 ? .remove(key) : .put(key, value(thread << 24 | round))
                return instance.perform(operation).error.map { "\(operation) threw \($0)" }
            }
        }
    }

    /// What a list that is made among writers may show.
    private struct ListJudge: Sendable {
        let calm: Set<[UInt8]>
        let known: Set<[UInt8]>
        let mustFind: Bool

        func complaint(about instance: any CacheInstance) -> String? {
            let answer = instance.perform(.keys)
            guard case .keys(let keys) = answer else {
                return "keys answered \(ValueText.describe(answer, of: .keys))"
            }
            let listed = Set(keys)
            if listed.count < keys.count { return "\(keys.count) keys were listed, of which \(listed.count) differ" }
            if let foreign = listed.subtracting(known).first { return "listed \(KeyText.describe(foreign))" }
            if mustFind, let lost = calm.subtracting(listed).map(KeyText.describe).min() {
                return "\(lost) was not listed"
            }
            let count = instance.perform(.count)
            guard case .number(let number) = count, number >= (mustFind ? calm.count : 0), number <= known.count else {
                return "count answered \(ValueText.describe(count, of: .count))"
            }
            return nil
        }
    }

    static func seesOneMoment(_ context: CheckContext) throws(CheckStop) {
        let keys = [Array("a".utf8), Array("b".utf8)]
        let hits = Atomic(0)
        try context.eachRunBesideWriters(
            6, writesMin: 400, what: "reads",
            steps: [
                "client 0: put number n under a, then under b, for n to 400 or more",
                "the others, meanwhile: getMany a, b",
            ], permitted: "the number of b under a, or the next"
        ) { thread, _, instance, overlap in
            guard thread > 0 else {
                return overlap.write { number in
                    for key in keys { _ = instance.perform(.put(key, value(number))) }
                    return nil
                }
            }
            let order = thread % 2 == 0 ? keys : keys.reversed()
            return overlap.read {
                let answer = instance.perform(.getMany(order))
                if let error = answer.error { return "getMany threw \(error)" }
                guard let (a, b) = numbers(answer, order) else { return nil }
                hits.add(1, ordering: .relaxed)
                return a == b || a == b + 1 ? nil : "read a with number \(a) and b with number \(b)"
            }
        }
        guard hits.load(ordering: .relaxed) > 0 else { throw .blocked("the witness: never were both found at once") }
    }

    /// The numbers under a and b in an answer that lists the keys in some order; nil if one is missing.
    private static func numbers(_ answer: OperationResult, _ order: [[UInt8]]) -> (Int, Int)? {
        guard case .entries(let entries) = answer, entries.count == 2 else { return nil }
        let found = entries.compactMap { $0.flatMap { SelfDescription($0.value)?.sequence } }
        guard found.count == 2 else { return nil }
        return order[0] == Array("a".utf8) ? (found[0], found[1]) : (found[1], found[0])
    }

    static func givesUp(_ context: CheckContext) throws(CheckStop) {
        let (seed, clients, retains) = (context.seed, context.clients(), context.claims.retains)
        let given = Mutex(0)
        try context.eachRun(
            steps: [
                "4 clients, 25 times: load one of 3 keys, while: give up, pause, put, remove",
                "then for each key: remove, load, get",
            ], permitted: "a value for all but who gave up, and loads as ever afterwards"
        ) { instance, run in
            let found = ClientThreads.together(clients) { thread in
                var client = LoadingClient(
                    thread, SeededGenerator(seed: mix64(seed &+ UInt64(run)) ^ UInt64(thread)))
                return client.run(on: instance) { given.withLock { $0 += 1 } }
            }
            return found.compactMap(\.self).first ?? aftermath(instance, retains)
        }
        guard given.withLock({ $0 }) > 0 else {
            throw .blocked("the witness: nobody was told that a load was given up")
        }
    }

    /// What is wrong with a cache in which nobody loads any more.
    private static func aftermath(_ instance: any CacheInstance, _ mustFind: Bool) -> String? {
        for number in 0..<LoadingClient.keys {
            let key = StressClient.key(number)
            // A load that was given up may still be under way and is joined.
            for _ in 0..<100 {
                _ = instance.perform(.remove(key))
                guard case .loaded(_, calls: 0) = instance.perform(.load(key, Origin(.value(value(0))))) else { break }
            }
            _ = instance.perform(.remove(key))
            let fresh = value(1 << 24 | Int(number))
            let entry = StoredEntry(fresh.bytes(for: key))
            let loaded = instance.perform(.load(key, Origin(.value(fresh))))
            guard loaded == .loaded(.value(entry), calls: 1) else {
                return "afterwards load answered \(ValueText.describe(loaded, of: .load(key, Origin(.value(fresh)))))"
            }
            let found = instance.perform(.get(key))
            guard found == .entry(entry) || !mustFind && found == .entry(nil) else {
                return "afterwards get answered \(ValueText.describe(found, of: .get(key)))"
            }
        }
        return nil
    }
}

/// A client that loads, and gives its loads up.
private struct LoadingClient {
    static let keys: Int32 = 3
    private let thread: Int
    private var random: SeededGenerator

    init(_ thread: Int, _ random: SeededGenerator) { (self.thread, self.random) = (thread, random) }

    /// The first answer that was wrong; calls `noteGivenUp` for each load that was given up.
    mutating func run(on instance: any CacheInstance, noteGivenUp: () -> Void) -> String? {
        for round in 0..<25 {
            let key = StressClient.key(Int32(random.next(below: Int(Self.keys))))
            let number = thread << 16 | 2 * round
            let meanwhile = plan(key, number + 1)
            let operation = CacheOperation.load(key, Origin(.value(value(number)), meanwhile: meanwhile))
            let answer = instance.perform(operation)
            switch answer {
            case .loaded(.value(let entry), _):
                guard let description = SelfDescription(entry.value), description.keyHash == Payload.hash(key),
                    description.bytes == entry.value
                else { return "\(operation) answered \(ValueText.describe(answer, of: operation))" }
            // Only who began a load can give it up.
            case .loaded(.failed, calls: 1) where meanwhile.contains(.giveUp(key)): noteGivenUp()
            default: return "\(operation) answered \(ValueText.describe(answer, of: operation))"
            }
            if round % 2 == 0 { _ = instance.perform(.remove(key)) }
        }
        return nil
    }

    private mutating func plan(_ key: [UInt8], _ number: Int) -> [CacheOperation] {
        let write = random.next(below: 2) == 0 ? CacheOperation.put(key, value(number)) : .remove(key)
        switch random.next(below: 6) {
        case 0: return [.giveUp(key)]
        case 1: return [.pause(milliseconds: 1), .giveUp(key)]
        case 2: return [write, .giveUp(key), .pause(milliseconds: 1)]
        case 3: return [.giveUp(key), write]
        case 4: return [write]
        default: return [.pause(milliseconds: 1)]
        }
    }
}
