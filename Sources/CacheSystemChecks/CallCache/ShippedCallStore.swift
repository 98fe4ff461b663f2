internal import CacheConformance
internal import CacheEngine
internal import Foundation
internal import Synchronization

/// TMDiskCache as it was shipped: a directory of archives without an envelope, whose times are those of the last access, with
/// timers for the limit of age and a trim for the limit in bytes that comes after the write. Everybody in a process has the same.
final class ShippedCallStore: Sendable {
    private struct File: Codable {
        var text: String
        /// The file's modification date in the original.
        var accessedAtNanoseconds: Int64
    }

    private struct State {
        var ageLimit: Int64?
        /// When each chain of timers fires next.
        var timers: [Int64] = []
        var sweeps = 0
        /// What the account says, which is not always what the directory holds.
        var byteCount = 0
    }

    private let directory: String
    private let byteLimit: Int?
    private let clock: VirtualClock
    private let state = Mutex(State())

    init(_ directory: String, byteLimit: Int?, _ clock: VirtualClock) {
        self.directory = directory
        self.byteLimit = byteLimit
        self.clock = clock
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        state.withLock { $0.byteCount = files().reduce(0) { $0 + $1.file.text.utf8.count } }
    }

    var sweeps: Int { state.withLock { $0.sweeps } }
    private var now: Int64 { clock.wallNanoseconds() }

    private func url(_ name: String) -> URL { URL(filePath: "\(directory)/\(name)") }

    private func file(_ name: String) -> File? {
        (try? Data(contentsOf: url(name))).flatMap { try? JSONDecoder().decode(File.self, from: $0) }
    }

    private func files() -> [(name: String, file: File)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().compactMap { name in file(name).map { (name, $0) } }
    }

    private func write(_ file: File, _ name: String) {
        try? JSONEncoder().encode(file).write(to: url(name))
    }

    /// Reads, whatever the age, and sets the time of access. A damaged archive is deleted, and stays in the account.
    func read(_ name: String) -> String? {
        state.withLock { state in
            trimToBytes(&state)
            guard var file = file(name) else {
                try? FileManager.default.removeItem(at: url(name))
                return nil
            }
            file.accessedAtNanoseconds = now
            write(file, name)
            return file.text
        }
    }

    /// Writes. The trim is left to a queue: it comes before the next operation.
    func write(_ text: String, _ name: String) {
        state.withLock { state in
            trimToBytes(&state)
            state.byteCount += text.utf8.count - (file(name)?.text.utf8.count ?? 0)
            write(File(text: text, accessedAtNanoseconds: now), name)
        }
    }

    func remove(_ name: String) { state.withLock { remove(name, &$0) } }

    func removeAll() { state.withLock { state in for (name, _) in files() { remove(name, &state) } } }

    /// Trims at once, and starts one more chain of timers.
    func setAgeLimit(_ limit: Int64) {
        state.withLock { state in
            state.ageLimit = limit
            trimToAge(&state, at: now)
            state.timers.append(now + limit)
        }
    }

    /// Moves the clock from timer to timer.
    func advance(_ step: Int64) {
        state.withLock { state in
            let end = now + step
            while let limit = state.ageLimit,
                let place = state.timers.indices.min(by: { state.timers[$0] < state.timers[$1] }),
                state.timers[place] <= end
            {
                let moment = state.timers[place]
                trimToAge(&state, at: moment)
                state.sweeps += 1
                state.timers[place] = moment + limit
            }
            clock.advance(nanoseconds: step)
        }
    }

    func damage() throws { try DiskFiles.damage(under: directory) }
    var count: Int { files().count }
    var bytes: Int { files().reduce(0) { $0 + $1.file.text.utf8.count } }

    private func remove(_ name: String, _ state: inout State) {
        guard let file = file(name) else { return }
        state.byteCount -= file.text.utf8.count
        try? FileManager.default.removeItem(at: url(name))
    }

    private func trimToAge(_ state: inout State, at moment: Int64) {
        guard let limit = state.ageLimit else { return }
        for (name, file) in files() where file.accessedAtNanoseconds < moment - limit { remove(name, &state) }
    }

    private func trimToBytes(_ state: inout State) {
        guard let byteLimit, state.byteCount > byteLimit else { return }
        for (name, _) in files().sorted(by: { $0.file.accessedAtNanoseconds < $1.file.accessedAtNanoseconds })
        where state.byteCount > byteLimit {
            remove(name, &state)
        }
    }
}
