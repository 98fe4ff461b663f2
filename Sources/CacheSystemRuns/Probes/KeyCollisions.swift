internal import CacheCore
internal import CacheHarness
internal import CacheSystems
internal import Foundation
internal import Synchronization

/// Looks for parameters that differ and have one key, among very many.
///
/// The first eight bytes of each digest are kept, in one array that is sorted at the end: 80 MB for ten million keys, however long
/// the parameters are. Keys that are equal are equal in these, so that none is missed; that any of ten million good keys are equal
/// in these has a chance of three in a million.
package enum KeyCollisions {
    private struct Question: Encodable {
        let author: Int
        let words: String
    }

    /// The keys of numbers, texts, lists, records and dictionaries, no two of them equal.
    static func figures(_ setup: SystemRunSetup) throws -> [SystemFigure] {
        let keys = setup.probeCount(10_000_000, least: 1000)
        let collisions = try count(keys) { try start(of: $0) }
        try require(collisions == 0, "\(collisions) of \(keys) keys belong to other parameters too")
        return [
            SystemFigure("keys that were made", count: keys), SystemFigure("keys that collided", count: collisions),
        ]
    }

    /// How many of so many keys are equal to another one before them. They are made by as many threads as there are cores.
    package static func count(_ keys: Int, _ start: @escaping @Sendable (Int) throws -> UInt64) throws -> Int {
        let all = Mutex<[UInt64]>([])
        all.withLock { $0.reserveCapacity(keys) }
        _ = try ProbeThreads.nanosecondsPerCall(ProcessInfo.processInfo.activeProcessorCount, calls: keys) {
            positions in
            let some = try positions.map(start)
            all.withLock { $0 += some }
        }
        return all.withLock { all in
            all.sort()
            return zip(all, all.dropFirst()).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
        }
    }

    /// The first eight bytes of the key of the parameters of a number.
    private static func start(of number: Int) throws -> UInt64 {
        let key =
            switch number % 5 {
            case 0: try CanonicalKey(of: number)
            case 1: try CanonicalKey(of: "\(number)")
            case 2: try CanonicalKey(of: [number / 1000, number % 1000])
            case 3: try CanonicalKey(of: Question(author: number % 1000, words: "words \(number / 1000)"))
            default: try CanonicalKey(of: ["author": number % 1000, "page": number / 1000])
            }
        return key.digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
