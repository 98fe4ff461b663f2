internal import CacheCore
internal import CacheEngine
internal import CacheSystems

/// Experiments with MethodCache.
enum MethodCacheProbes {
    static let all = [SystemProbe("calls by threads", callsByThreads)]

    /// How many calls of memoised functions threads make together: arguments and room are those of the workload, the functions cost
    /// nothing.
    private static func callsByThreads(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let calls = setup.probeCount(200_000, least: 2048)
        let objects = setup.drawnObjects(
            calls, of: setup.scaled("objects"), exponent: setup.values.number("exponent"))
        let cache = try MethodCache(
            MethodCacheOptions(capacity: .objects(setup.scaled("capacity"))), policy: setup.policy)
        defer { cache.close() }
        let functions = (0..<setup.values.integer("functions")).map { _ in
            cache.memoize { (object: UInt32) in mix64(UInt64(object)) }
        }
        return try ThreadLadder.figures("calls a second", calls: calls) { positions in
            for position in positions {
                let object = objects[position]
                let result = functions[Int(object) % functions.count](object)
                try require(result == mix64(UInt64(object)), "a function of \(object) gave another's result")
            }
        }
    }
}
