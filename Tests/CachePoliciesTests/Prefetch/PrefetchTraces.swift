import CacheCore
import CachePolicies
import Testing

/// Generated traces whose keys are numbers from 1: runs of blocks, groups of objects that belong together, and a loop among others.
enum PrefetchTraces {
    private struct Draws {
        private var state: UInt64
        init(_ seed: UInt64) { state = seed }
        mutating func draw(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
    }

    static func keys(_ name: String, _ count: Int = 30_000) -> [Int] {
        var keys: [Int] = []
        var draws = Draws(name == "runs" ? 1 : name == "groups" ? 2 : 3)
        var step = 0
        while keys.count < count {
            switch name {
            case "runs":
                let first = 1 + draws.draw(4000)
                keys += first..<first + 1 + draws.draw(12)
            case "groups":
                if draws.draw(3) == 0 { keys.append(5001 + draws.draw(3000)) }
                let group = draws.draw(900) * draws.draw(900) / 900
                for member in 1...4 {
                    keys.append(4 * group + member)
                    if draws.draw(6) == 0 { keys.append(10_001 + draws.draw(200)) }
                }
            default:
                if draws.draw(4) == 0 {
                    let rank = draws.draw(2000)
                    keys.append(3001 + rank * rank / 2000)
                } else {
                    keys.append(1 + step % 1500)
                    step += 1
                }
            }
        }
        return Array(keys.prefix(count))
    }

    /// A trace of keys as they are, or with the suffix `-sized` or `-blocks`, with sizes.
    static func columns(_ name: String) -> RequestColumns {
        let parts = name.split(separator: "-")
        return columns(
            keys(String(parts[0])),
            size: name.hasSuffix("-sized") ? { 100 + $0 * 37 % 900 } : name.hasSuffix("-blocks") ? { _ in 4096 } : nil)
    }

    static func columns(_ keys: [Int], size: ((Int) -> Int)? = nil) -> RequestColumns {
        let trace = TestTrace(ids: keys.map(UInt32.init), sizes: size.map { size in keys.map { UInt32(size($0)) } })
        let columns = trace.columns
        let owner = Numbers(columns.objects.count, columns)
        return RequestColumns(
            ids: columns.ids, sizes: columns.sizes, next: columns.next, objects: columns.objects,
            keys: ObjectKeys(UnsafeBufferPointer(owner.numbers), owner: owner), owner: owner)
    }

    /// What a policy and a prefetcher count, both as the command line writes them.
    static func counts(
        _ policy: String, _ prefetcher: String?, _ columns: RequestColumns, _ capacity: Capacity
    ) throws -> ReplayCounts {
        let call = try PolicyCall(policy)
        var configuration = call.configuration(capacity, columns.objects, columns.keys)
        configuration.prefetcher = try prefetcher.map(selection)
        return try #require(try call.entry.simulate(columns, configuration))
    }

    static func selection(_ text: String) throws -> PrefetcherSelection {
        let parts = text.split(separator: ":", maxSplits: 1)
        let entry = try #require(BuiltinPrefetchers.all.first { $0.descriptor.name == parts[0] })
        let parameters = try ParameterValues(
            parsing: parts.count > 1 ? String(parts[1]) : "", for: entry.descriptor.parameters, of: String(parts[0]))
        return PrefetcherSelection(entry, parameters)
    }

    private final class Numbers: @unchecked Sendable {
        let numbers: UnsafeMutableBufferPointer<UInt64>
        private let columns: RequestColumns
        init(_ count: Int, _ columns: RequestColumns) {
            numbers = .allocate(capacity: count)
            _ = numbers.initialize(from: (0..<count).map(UInt64.init))
            self.columns = columns
        }
        deinit { numbers.deallocate() }
    }
}
