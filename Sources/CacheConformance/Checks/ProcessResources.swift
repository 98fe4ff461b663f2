import CacheCore
import Foundation

/// What this process holds of the system's: open files, threads.
enum ProcessResources {
    /// One kind of resource.
    struct Kind: Sendable {
        let name: String
        /// What there is of it, each under a name of its own; empty where the system does not say.
        let list: @Sendable () -> Set<String>
    }

    /// What a closed cache must have given back.
    static let kinds = [
        Kind(name: "open files") {
            let directory = "/proc/self/fd"
            let names = Directory.names(directory)
            if names.isEmpty { return Set(Directory.names("/dev/fd")) }
            return Set(names.compactMap { name in target(of: "\(directory)/\(name)").map { "\(name) \($0)" } })
        },
        Kind(name: "threads") { Set(Directory.names("/proc/self/task")) },
    ]

    /// The files under a directory that this process has open or in its memory; none where the system does not say.
    static func held(under directory: String) -> [String] {
        var found: Set<String> = []
        for name in Directory.names("/proc/self/fd") {
            if let target = target(of: "/proc/self/fd/\(name)") { found.insert(target) }
        }
        for line in String(decoding: Directory.read("/proc/self/maps") ?? [], as: UTF8.self).split(separator: "\n") {
            if let start = line.firstIndex(of: "/") { found.insert(String(line[start...])) }
        }
        return found.filter { $0.hasPrefix(directory) }.sorted()
    }

    /// What a symbolic link leads to.
    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = readlink(link, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// How much of one kind came with each of so many pieces of work and is still there, in all; 0 if any of them left nothing.
    ///
    /// Others in the process come and go too, but not with every piece of work.
    static func left<Failure: Error>(
        of kind: Kind, byEachOf times: Int, _ work: () throws(Failure) -> Void
    ) throws(Failure) -> Int {
        var came: [Set<String>] = []
        for _ in 0..<times {
            let before = kind.list()
            try work()
            came.append(kind.list().subtracting(before))
        }
        // Threads and files that are about to go are waited for.
        for _ in 0..<40 {
            let now = kind.list()
            if came.contains(where: { $0.isDisjoint(with: now) }) { return 0 }
            usleep(5_000)
        }
        return came.reduce(Set()) { $0.union($1) }.intersection(kind.list()).count
    }
}
