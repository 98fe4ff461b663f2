import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("The six fetch policies, by their table")
struct FetchPolicyTests {
    /// What a caller is told, in order.
    enum Told: Equatable, Sendable {
        case cached(String), fresh(String), failed, missing
    }

    /// One cell of the table, with what it costs.
    struct Cell: Sendable, CustomTestStringConvertible {
        let policy: FetchPolicy
        let isCached: Bool
        let isOnline: Bool
        let told: [Told]
        let reads: Int
        let asked: Int
        let written: Int

        var testDescription: String {
            "\(policy.rawValue), \(isCached ? "cached" : "not cached"), \(isOnline ? "online" : "offline")"
        }
    }

    private static let c = Told.cached("old")
    private static let n = Told.fresh("new")
    private static let e = Told.failed

    private static func row(
        _ policy: FetchPolicy, _ told: [[Told]], reads: [Int], asked: [Int], written: [Int]
    ) -> [Cell] {
        (0..<4).map {
            Cell(
                policy: policy, isCached: $0 < 2, isOnline: $0 % 2 == 0, told: told[$0], reads: reads[$0],
                asked: asked[$0], written: written[$0])
        }
    }

    /// Columns: cached and online, cached and offline, not cached and online, not cached and offline.
    static let table = [
        row(.ignoreCache, [[n], [e], [n], [e]], reads: [0, 0, 0, 0], asked: [1, 1, 1, 1], written: [0, 0, 0, 0]),
        row(
            .cacheOnly, [[c], [c], [.missing], [.missing]], reads: [1, 1, 1, 1], asked: [0, 0, 0, 0],
            written: [0, 0, 0, 0]),
        row(.networkOnly, [[n], [e], [n], [e]], reads: [0, 0, 0, 0], asked: [1, 1, 1, 1], written: [1, 0, 1, 0]),
        row(
            .cacheElseNetwork, [[c], [c], [n], [e]], reads: [1, 1, 1, 1], asked: [0, 0, 1, 1], written: [0, 0, 1, 0]),
        row(
            .networkElseCache, [[n], [c], [n], [e]], reads: [0, 1, 0, 1], asked: [1, 1, 1, 1], written: [1, 0, 1, 0]),
        row(
            .cacheThenNetwork, [[c, n], [c, e], [n], [e]], reads: [1, 1, 1, 1], asked: [1, 1, 1, 1],
            written: [1, 0, 1, 0]),
    ].flatMap(\.self)

    @Test func `the table has every policy and every column`() {
        #expect(Self.table.count == FetchPolicy.allCases.count * 4)
        #expect(Set(Self.table.map(\.policy)) == Set(FetchPolicy.allCases))
    }

    @Test(arguments: table) func `a stream of answers is what the table says, and costs what it says`(
        _ cell: Cell
    ) async throws {
        for memory in [0, 10] {
            let storage = CountingStorage(try DictionaryStorage.make())
            let cache = try CallCacheTests.make(storage, memory: memory)
            let function = cache.function("f") { (_: Int) async throws -> String in
                guard cell.isOnline else { throw Trouble(number: 1) }
                return "new"
            }
            if cell.isCached { try function.store("old", for: 1) }
            cache.dropMemory()
            let before = storage.counts
            let toldByStream = await Self.listen(function.answers(to: 1, cell.policy))
            #expect(toldByStream == cell.told)
            #expect(storage.counts.reads - before.reads == cell.reads)
            #expect(storage.counts.writes - before.writes == cell.written)
            #expect(cache.statistics[.asked] == cell.asked)
            try cache.close()
        }
    }

    @Test(arguments: table) func `the single answer is the stream's last, on both faces`(_ cell: Cell) async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let answer: @Sendable () throws -> String = {
            guard cell.isOnline else { throw Trouble(number: 1) }
            return "new"
        }
        let function = cache.function("f") { (_: Int) async throws -> String in try answer() }
        for parameters in 1...2 where cell.isCached { try function.store("old", for: parameters) }
        let later: Told
        do {
            later = Self.told(try await function.answer(to: 1, cell.policy))
        } catch { later = Self.told(error) }
        #expect(later == cell.told.last)
        let blocking = await onThread { () -> Told in
            do {
                return Self.told(try function.blockingAnswer(to: 2, cell.policy, origin: answer))
            } catch { return Self.told(error) }
        }
        #expect(blocking == cell.told.last)
        try cache.close()
    }

    @Test func `a policy that there is not has no name`() {
        #expect(FetchPolicy(rawValue: "cacheThenCache") == nil)
        #expect(FetchPolicy.allCases.allSatisfy { FetchPolicy(rawValue: $0.rawValue) == $0 })
    }

    static func told(_ answer: CallAnswer<String>) -> Told {
        answer.isCached ? .cached(answer.value) : .fresh(answer.value)
    }

    static func told(_ error: any Error) -> Told {
        if error as? CallError == .notCached(function: "f") { return .missing }
        #expect(error as? Trouble == Trouble(number: 1))
        return .failed
    }

    static func listen(_ answers: AsyncThrowingStream<CallAnswer<String>, any Error>) async -> [Told] {
        var told: [Told] = []
        do {
            for try await answer in answers { told.append(Self.told(answer)) }
        } catch { told.append(Self.told(error)) }
        return told
    }
}
