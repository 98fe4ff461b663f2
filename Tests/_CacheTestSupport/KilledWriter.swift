public import CacheCore
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes to a store until the process is killed in the middle of it, with a journal of what was begun and acknowledged,
/// and checks a store against the journal.
///
/// The first half runs in a child process, for which Swift Testing's exit tests serve; the second in the test itself.
public struct KilledWriter {
    private static let keyCount = 48
    private let journal: String

    /// A writer with a journal beside the store's directory.
    public init(directory: String) { journal = directory + ".journal" }

    /// Works on a store and kills this process while it does, once `operations` were acknowledged.
    public func work(on store: any StorageBackend, operations: Int, seed: UInt64) -> Never {
        let progress = Progress()
        let file = open(journal, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var random = SeededGenerator(seed: seed)
        Thread.detachNewThread { progress.kill(at: operations) }
        var sequence = Int(seed) * 1_000_000
        while true {
            sequence += 1
            let step = Step(kind: random.next(below: 100), key: random.next(below: Self.keyCount), sequence: sequence)
            Self.note("begun \(step.kind) \(step.key) \(step.sequence)\n", in: file)
            do { try step.apply(to: store) } catch { Self.note("failed \(error)\n", in: file) }
            Self.note("done\n", in: file)
            progress.done.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// What the thread that kills looks at.
    private final class Progress: Sendable {
        let done = Atomic(0)

        func kill(at wanted: Int) {
            while done.load(ordering: .relaxed) < wanted { usleep(50) }
            raise(SIGKILL)
        }
    }

    /// What is wrong with a store that was opened after the kill, and how many operations the journal has.
    public func problems(of store: any StorageBackend) throws -> (problems: [String], operations: Int) {
        var states = [[Int?]](repeating: [nil], count: Self.keyCount)
        var problems: [String] = []
        var operations = 0
        var begun: Step?
        for line in try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words.first {
            case "begun" where words.count == 4:
                // The one before was cut off by a kill: it happened or not.
                if let open = begun { open.change(&states, isCertain: false) }
                begun = Step(kind: Int(words[1])!, key: Int(words[2])!, sequence: Int(words[3])!)
            case "done":
                begun?.change(&states, isCertain: true)
                begun = nil
                operations += 1
            case "failed": problems.append(String(line))
            default: break
            }
        }
        if let open = begun { open.change(&states, isCertain: false) }
        for (key, allowed) in states.enumerated() {
            let found = try store.get(Step.key(key))
            if !allowed.contains(where: { $0.map { Step.entry(key, $0) } == found }) {
                problems.append("key \(key) has \(found?.value.count ?? -1) bytes, not the value of \(allowed)")
            }
        }
        let listed = try Set(store.keys())
        for key in 0..<Self.keyCount where try listed.contains(Step.key(key)) != store.contains(Step.key(key)) {
            problems.append("the list and the entries disagree about key \(key)")
        }
        return (problems, operations)
    }

    private static func note(_ text: String, in file: Int32) {
        let bytes = Array(text.utf8)
        guard write(file, bytes, bytes.count) == bytes.count else { exit(1) }
    }

    /// One operation; its value follows from its number.
    private struct Step {
        var kind: Int
        var key: Int
        var sequence: Int

        static func key(_ number: Int) -> [UInt8] { Array("key-\(number)".utf8) }

        static func entry(_ key: Int, _ sequence: Int) -> StoredEntry {
            let size = [0, 10, 100, 700, 3_000, 20_000][sequence % 6] + sequence % 97
            var random = SeededGenerator(seed: UInt64(sequence &* 64 &+ key))
            let word = random.next()
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: word &+ UInt64($0) &* 0x9E37) }
            return StoredEntry(bytes, expiresAtNanoseconds: sequence % 2 == 0 ? nil : Int64(sequence))
        }

        func apply(to store: any StorageBackend) throws {
            switch kind {
            case 0: try store.removeAll()
            case 1..<25: _ = try store.remove(Self.key(key))
            default: try store.put(Self.entry(key, sequence), for: Self.key(key))
            }
        }

        /// What the operation makes of the values that each key may have; `nil` is none.
        func change(_ states: inout [[Int?]], isCertain: Bool) {
            for index in states.indices where kind == 0 || index == key {
                let new: Int? = kind < 25 ? nil : sequence
                states[index] = isCertain ? [new] : states[index] + [new]
            }
        }
    }
}
