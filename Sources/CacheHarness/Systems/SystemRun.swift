public import CacheCore
internal import Foundation

/// A system under its workload: the throughput, latency and memory passes, each with a system of its own in a directory of its own.
public struct SystemRun {
    /// What the timing passes found out.
    public struct Timing: Codable, Sendable, Hashable {
        /// Exact counts, which both passes agree on.
        public var counts: SystemCounts
        /// Calls a second of the throughput pass.
        public var callsPerSecond: Double
        /// The same calls made in other ways.
        public var alternatives: [SystemAlternative]
        /// Latency by outcome, and of what is done beside the calls.
        public var latency: [SystemLatency]
        /// What only this system says of itself.
        public var figures: [SystemFigure]
        /// The least that a time can be: two readings of the clock with nothing between them, in nanoseconds.
        public var timerFloorNanoseconds: Double
    }

    /// What the memory pass found out.
    public struct Memory: Codable, Sendable, Hashable {
        /// The figures.
        public var figures: SystemMemory
        /// The counts of the pass.
        public var counts: SystemCounts
    }

    private let make: (String) throws -> any MeasuredSystem
    private let keepsFiles: Bool
    private let seed: UInt64

    /// Blocks of a throughput pass, between which the other ways are timed, and looks of a memory pass.
    private static var blocks: Int { 64 }

    /// A run of what `make` makes of a directory, which does not exist yet.
    ///
    /// - Parameter keepsFiles: whether the system keeps anything in the directory.
    public init(keepsFiles: Bool, seed: UInt64, make: @escaping (String) throws -> any MeasuredSystem) {
        self.make = make
        self.keepsFiles = keepsFiles
        self.seed = seed
    }

    /// Runs the throughput pass and the latency pass.
    ///
    /// - Throws: `AssayError` of code `verdict` for a wrong answer, or counts that differ from pass to pass; what the system throws.
    public func timing(directory: String) throws -> Timing {
        let sheet = SystemCallRecorder()
        let (system, seconds) = try throughput(directory + "/throughput", sheet)
        let counts = sheet.counts(system.origin)
        let figures = try system.figures()
        try system.close()
        let mean = seconds[0] * 1e9 / Double(max(1, counts.calls))
        let timed = SystemCallRecorder(
            expected: counts, isSampled: mean < LiveRun.sampledBelowNanoseconds, seed: seed)
        let second = try make(directory + "/latency")
        try second.open()
        try second.drive(0..<second.stepCount, timed)
        try Self.compare(timed.counts(second.origin), counts, "latency")
        try second.close()
        func rate(_ seconds: Double) -> Double { Double(counts.calls) / max(seconds, 1e-9) }
        return Timing(
            counts: counts, callsPerSecond: rate(seconds[0]),
            alternatives: zip(system.alternatives, seconds.dropFirst()).map {
                SystemAlternative($0, callsPerSecond: rate($1))
            }, latency: timed.latency(), figures: figures, timerFloorNanoseconds: MonotonicClock.floorNanoseconds())
    }

    /// Makes all steps and times their blocks, and those of the other ways between them; returns how long each way took.
    private func throughput(
        _ directory: String, _ sheet: SystemCallRecorder
    ) throws -> (system: any MeasuredSystem, seconds: [Double]) {
        let system = try make(directory)
        try system.open()
        var nanoseconds = [UInt64](repeating: 0, count: 1 + system.alternatives.count)
        for steps in Self.blocks(of: system.stepCount) {
            for way in nanoseconds.indices {
                let start = MonotonicClock.nowNanoseconds()
                if way == 0 { try system.drive(steps, sheet) } else { try system.drive(steps, alternative: way - 1) }
                nanoseconds[way] += MonotonicClock.nowNanoseconds() &- start
            }
        }
        return (system, nanoseconds.map { Double($0) / 1e9 })
    }

    private static func blocks(of steps: Int) -> [Range<Int>] {
        let length = max(1, (steps + blocks - 1) / blocks)
        return stride(from: 0, to: steps, by: length).map { $0..<min($0 + length, steps) }
    }

    private static func compare(_ counts: SystemCounts, _ first: SystemCounts, _ pass: String) throws(AssayError) {
        guard counts != first else { return }
        throw AssayError(
            .verdict,
            "the \(pass) pass counted otherwise than the throughput pass (\(counts.differences(from: first))): "
                + "the system is not reproducible")
    }

    /// Runs the workload once and says what the system takes up at its end, in a process that does nothing else.
    ///
    /// - Throws: as ``timing(directory:)`` does.
    public func memory(directory: String) throws -> Memory {
        let meter = AllocationMeter.best()
        func allocated() -> Int { meter?.allocatedBytes() ?? 0 }
        let system = try make(directory)
        let sheet = SystemCallRecorder()
        let startResident = ProcessMemory.residentSetBytes()
        let start = allocated()
        try system.open()
        var peak = 0
        for steps in Self.blocks(of: system.stepCount) {
            try system.drive(steps, sheet)
            peak = max(peak, allocated() - start)
        }
        let end = allocated()
        let resident = ProcessMemory.residentSetBytes()
        var figures = SystemMemory(
            meter: meter?.name ?? "unavailable: no allocation counter works in this process",
            entries: try system.entries())
        if meter != nil {
            figures.allocatedBytes = end - start
            figures.peakBytes = max(peak, end - start)
        }
        if let resident, let startResident { figures.residentSetBytes = max(0, resident - startResident) }
        let counts = sheet.counts(system.origin)
        try system.close()
        if keepsFiles {
            let disk = DiskUsage.of(directory)
            (figures.diskBytes, figures.diskFiles) = (disk.allocatedBytes, disk.files)
            let before = MonotonicClock.nowNanoseconds()
            try system.open()
            figures.openNanoseconds = Int(MonotonicClock.nowNanoseconds() &- before)
            figures.entriesOpened = try system.entries()
            try system.close()
        }
        return Memory(figures: figures, counts: counts)
    }
}
