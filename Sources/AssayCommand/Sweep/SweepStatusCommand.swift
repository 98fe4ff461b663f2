import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay sweep status`: how far a sweep is.
struct SweepStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say which shards are done, run now, failed or wait, and how much work is left.")

    @OptionGroup var directory: SweepDirectory

    func run() throws {
        let folder = try directory.open()
        let plan = folder.plan
        let status = try SweepStatus(folder)
        Console.print(
            "\(HumanFormat.counted(plan.shards.count, "shard", "shards")), \(HumanFormat.counted(plan.combinations, "combination", "combinations")), "
                + HumanFormat.counted(plan.traces.count, "trace", "traces"))
        for (state, shards) in status.shards where !shards.isEmpty {
            Console.print("\(state.rawValue): \(shards.count)")
        }
        let left = status.open.reduce(0) { $0 + plan.shards[$1].seconds }
        if left > 0 { Console.print("expected: \(HumanFormat.duration(left)) of one processor are left") }
        for line in status.reasons(folder) { Console.print(line) }
    }
}

/// The state of each shard of a sweep at one moment.
struct SweepStatus {
    enum State: String, CaseIterable { case done, running, failed, interrupted, waiting }

    /// The shards in each state, in the order of the states.
    let shards: [(state: State, shards: [Int])]

    init(_ folder: ShardFolder) throws(AssayError) {
        let done = try folder.results()
        let states = folder.plan.shards.indices.map { index in
            if done[index] != nil { return State.done }
            if folder.isClaimed(index) { return .running }
            if folder.failure(index) != nil { return .failed }
            return RunJournal.exists(in: folder.journal(index)) ? .interrupted : .waiting
        }
        let byState = Dictionary(grouping: states.indices) { states[$0] }
        shards = State.allCases.map { ($0, byState[$0] ?? []) }
    }

    /// The shards that have no result.
    var open: [Int] { shards.filter { $0.state != .done }.flatMap(\.shards).sorted() }

    /// The most shards that are named one by one.
    private static let namedMax = 20

    /// A line for each shard that has no result, with the reason where one is known; of very many the first ones.
    func reasons(_ folder: ShardFolder) -> [String] {
        var lines: [String] = []
        for (state, shards) in shards where state != .done {
            for index in shards.prefix(Self.namedMax) {
                let reason = state == .failed ? folder.failure(index).map { ": \($0)" } ?? "" : ""
                lines.append("\(folder.label(index)): \(state.rawValue)\(reason)")
            }
            if shards.count > Self.namedMax {
                lines.append("… and \(shards.count - Self.namedMax) more \(state.rawValue)")
            }
        }
        return lines
    }
}
