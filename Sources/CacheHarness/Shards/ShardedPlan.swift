public import CacheCore
internal import Foundation

/// A sweep as `assay sweep plan` writes it: what is combined, the inputs with their digests, and the shards that processes run.
public struct ShardedPlan: Codable, Sendable, Hashable {
    /// The version that this code writes.
    public static var currentSchemaVersion: Int { 1 }
    /// The most shards of a plan.
    public static var shardsMax: Int { 1_000_000 }

    /// Traces, by their numbers, with what they are combined with, written as on the command line.
    public struct Block: Codable, Sendable, Hashable {
        /// Indices of the plan's traces.
        public var traces: [Int]
        /// Policies with their parameters, none of which stands for several.
        public var policies: [String]
        /// Capacities.
        public var capacities: [String]
        /// Admission policies with their parameters; `always` lets everything in.
        public var admissions: [String]
        /// Whether objects expire: `ignore`, `honour` or both.
        public var expiry: [String]
        /// What fills the caches before anything is counted; nil for what the command line says.
        public var warmUp: String?
        /// The seeds of everything random; nil for the plan's own.
        public var seeds: [UInt64]?

        /// A block.
        public init(
            traces: [Int], policies: [String], capacities: [String], admissions: [String], expiry: [String],
            warmUp: String?, seeds: [UInt64]?
        ) {
            (self.traces, self.policies, self.capacities) = (traces, policies, capacities)
            (self.admissions, self.expiry, self.warmUp, self.seeds) = (admissions, expiry, warmUp, seeds)
        }

        /// How many combinations each trace has, before those that come to the same are counted once.
        public var combinations: Int {
            [capacities.count, admissions.count, expiry.count, max(1, seeds?.count ?? 0)].reduce(policies.count, *)
        }
    }

    /// An input.
    public struct Trace: Codable, Sendable, Hashable {
        /// What the command line or the plan's file names.
        public var argument: String
        /// What results call it.
        public var name: String
        /// The digest of its source; a shard whose input has another is refused.
        public var digest: String
        /// The number of requests.
        public var requests: Int
        /// The number of distinct objects.
        public var objects: Int
        /// Where the two numbers come from: `stated` by a compiled trace or a workload, or estimated from the `size` of the file.
        public var basis: Basis

        /// An input.
        public init(argument: String, name: String, digest: String, requests: Int, objects: Int, basis: Basis) {
            (self.argument, self.name, self.digest) = (argument, name, digest)
            (self.requests, self.objects, self.basis) = (requests, objects, basis)
        }
    }

    /// Where the figures of an input come from.
    public enum Basis: String, Codable, Sendable, Hashable { case stated, size }

    /// Combinations of one trace, which one process reads once.
    public struct Shard: Codable, Sendable, Hashable {
        /// The index of the trace in the plan.
        public var trace: Int
        /// Which of the parts of the trace's combinations it has, from 0.
        public var part: Int
        /// How many parts the trace's combinations have.
        public var parts: Int
        /// How many combinations it has at most.
        public var combinations: Int
        /// How long one processor is expected to take, in seconds.
        public var seconds: Double
        /// The memory that the trace is expected to take, in bytes.
        public var traceBytes: Int
        /// The memory that each replay is expected to take beside the trace, in bytes.
        public var replayBytes: Int
    }

    /// The version of the schema, raised when a field changes its meaning.
    public var schemaVersion: Int
    /// The Assay version that made the plan, which is the one that runs it.
    public var assayVersion: String
    /// The arguments after `assay` that made it.
    public var commandLine: [String]
    /// The directory that relative paths refer to.
    public var workingDirectory: String
    /// The seed where a block names none.
    public var seed: UInt64
    /// What the predictions are calculated with.
    public var calibration: ShardCalibration
    /// What is combined, in the order of the report.
    public var blocks: [Block]
    /// The inputs.
    public var traces: [Trace]
    /// The shards, by their numbers.
    public var shards: [Shard]
    /// The SHA-256 of everything else.
    public private(set) var digest = ""

    /// A plan whose shards take at most so long as is predicted, if a single combination takes no longer.
    ///
    /// - Parameters:
    ///   - inputs: The traces with what is known of each.
    ///   - shardSeconds: The most processor time of a shard, above 0.
    /// - Throws: `AssayError` with code `usage` for more than ``shardsMax`` shards.
    public init(
        assayVersion: String, commandLine: [String], workingDirectory: String, seed: UInt64, blocks: [Block],
        inputs: [(trace: Trace, isCompiled: Bool)], shardSeconds: Double,
        calibration: ShardCalibration = ShardCalibration()
    ) throws(AssayError) {
        schemaVersion = Self.currentSchemaVersion
        (self.assayVersion, self.commandLine, self.workingDirectory) = (assayVersion, commandLine, workingDirectory)
        (self.seed, self.blocks, self.calibration) = (seed, blocks, calibration)
        traces = inputs.map(\.trace)
        var combinations = [Int](repeating: 0, count: inputs.count)
        for block in blocks { for trace in block.traces { combinations[trace] += block.combinations } }
        shards = []
        for (index, input) in inputs.enumerated() where combinations[index] > 0 {
            shards += calibration.shards(
                of: input.trace, index, isCompiled: input.isCompiled, combinations: combinations[index],
                shardSeconds: shardSeconds)
        }
        guard shards.count <= Self.shardsMax else {
            throw AssayError(
                .usage,
                "This plan has \(shards.count) shards; \(Self.shardsMax) are the most. Make several plans of it.")
        }
        self = try resealed()
    }

    /// The plan with the digest of what it says now.
    func resealed() throws(AssayError) -> ShardedPlan {
        var plan = self
        plan.digest = try digestOfRest()
        return plan
    }

    private func digestOfRest() throws(AssayError) -> String {
        var rest = self
        rest.digest = ""
        return SHA256.hexadecimal(of: try rest.encoded([.sortedKeys]))
    }

    private func encoded(_ formatting: JSONEncoder.OutputFormatting) throws(AssayError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do { return try encoder.encode(self) } catch {
            throw AssayError(.internalError, "A figure of the plan is not a finite number.", cause: "\(error)")
        }
    }

    /// The plan as its file holds it.
    func text() throws(AssayError) -> Data {
        try encoded([.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]) + Data("\n".utf8)
    }

    /// Reads the file of a plan.
    ///
    /// - Throws: `AssayError` with code `badInput` for what is no plan, is damaged, or was written by a newer Assay.
    init(decoding data: Data, from path: String) throws(AssayError) {
        func fault(_ message: String, _ cause: String? = nil) -> AssayError {
            AssayError(.badInput, message, at: .init(path), cause: cause)
        }
        struct Version: Decodable { var schemaVersion: Int }
        if let version = try? JSONDecoder().decode(Version.self, from: data).schemaVersion,
            version > Self.currentSchemaVersion
        {
            throw fault("This plan was written by a newer Assay. Take that one, or plan again in another directory.")
        }
        let remedy = "Restore the file, or plan again in another directory."
        do { self = try JSONDecoder().decode(Self.self, from: data) } catch let error as DecodingError {
            throw fault("This is no plan of 'assay sweep plan', or it is damaged. \(remedy)", error.inWords)
        } catch { throw fault("This is no plan of 'assay sweep plan'. \(remedy)", error.localizedDescription) }
        guard digest == (try digestOfRest()), isSound else {
            throw fault("The plan is damaged: it is not what its digest stands for. \(remedy)")
        }
    }

    /// Whether every number can be relied on: files of strangers have any.
    private var isSound: Bool {
        func isNumber(_ number: Int, below limit: Int = 1 << 48) -> Bool { (0..<limit).contains(number) }
        return shards.count <= Self.shardsMax && calibration.isSound
            && blocks.allSatisfy { block in
                let counts = [block.policies, block.capacities, block.admissions, block.expiry].map(\.count)
                return block.traces.allSatisfy { isNumber($0, below: traces.count) }
                    && counts.allSatisfy { isNumber($0, below: 1 << 20) } && (block.seeds?.count ?? 0) < 1 << 20
            }
            && traces.allSatisfy { isNumber($0.requests) && isNumber($0.objects) }
            && shards.allSatisfy {
                isNumber($0.trace, below: traces.count) && isNumber($0.parts, below: 1 << 24)
                    && isNumber($0.part, below: $0.parts) && isNumber($0.combinations, below: 1 << 40)
                    && isNumber($0.traceBytes) && isNumber($0.replayBytes) && (0...1e15).contains($0.seconds)
            }
    }

    /// How many combinations all shards have at most.
    public var combinations: Int { shards.reduce(0) { $0 + $1.combinations } }

    /// What a shard does, in words.
    public func label(_ index: Int) -> String {
        let shard = shards[index]
        return traces[shard.trace].name + (shard.parts == 1 ? "" : ", part \(shard.part + 1) of \(shard.parts)")
    }
}

/// The constants by which times and memory of shards are predicted: a release build on Zipf(0.8) over 10⁷ and 10⁸ requests (docs/scale.md),
/// times near the mean of the policies and memory near the worst, so that requests for memory are on the safe side.
public struct ShardCalibration: Codable, Sendable, Hashable {
    /// Which set of constants this is.
    public var name = "release-build-2026-11"
    /// How long reading and numbering a request takes where the trace was not compiled before, in nanoseconds.
    public var readNanosecondsPerRequest = 80.0
    /// How long replaying a request through one policy takes, in nanoseconds.
    public var replayNanosecondsPerRequest = 60.0
    /// What a request takes of a file, in bytes.
    public var fileBytesPerRequest = 20.0
    /// What a request takes of a compressed file, in bytes.
    public var compressedBytesPerRequest = 5.0
    /// How many requests an object has where nobody knows.
    public var requestsPerObject = 4.0
    /// What a process takes beside traces and replays, in bytes.
    public var processBytes = 128.0 * 1024 * 1024
    /// What a request takes of an open trace, in bytes.
    public var traceBytesPerRequest = 16.0
    /// What a replay keeps of each object, in bytes.
    public var replayBytesPerObject = 90.0

    /// The constants that this version ships.
    public init() {}

    fileprivate var isSound: Bool {
        let numbers = [
            readNanosecondsPerRequest, replayNanosecondsPerRequest, fileBytesPerRequest, compressedBytesPerRequest,
            requestsPerObject, processBytes, traceBytesPerRequest, replayBytesPerObject,
        ]
        return numbers.allSatisfy { $0 > 0 && $0 <= 1e12 }
    }

    /// The requests and objects of a file of which only the size is known.
    public func estimate(ofFileBytes bytes: Int, isCompressed: Bool) -> (requests: Int, objects: Int) {
        let requests = max(1, Double(bytes) / (isCompressed ? compressedBytesPerRequest : fileBytesPerRequest))
        return (Int(requests), max(1, Int(requests / requestsPerObject)))
    }

    /// The shards of one trace: as few as keep each to the time, if one combination does.
    func shards(
        of trace: ShardedPlan.Trace, _ index: Int, isCompiled: Bool, combinations: Int, shardSeconds: Double
    ) -> [ShardedPlan.Shard] {
        let requests = Double(trace.requests)
        let reading = isCompiled ? 0 : requests * readNanosecondsPerRequest / 1e9
        let replays = requests * replayNanosecondsPerRequest / 1e9 * Double(combinations)
        // Each part opens the trace; whichever is first compiles it for all that share a folder of compiled traces.
        let parts = min(combinations, max(1, Int(min(1e9, (replays / shardSeconds).rounded(.up)))))
        return (0..<parts).map { part in
            let count = combinations * (part + 1) / parts - combinations * part / parts
            return ShardedPlan.Shard(
                trace: index, part: part, parts: parts, combinations: count,
                seconds: reading + replays * Double(count) / Double(combinations),
                traceBytes: Int(processBytes + requests * traceBytesPerRequest),
                replayBytes: Int(Double(trace.objects) * replayBytesPerObject))
        }
    }
}
