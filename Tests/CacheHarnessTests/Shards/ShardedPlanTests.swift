import CacheCore
import Foundation
import Testing

@testable import CacheHarness

@Suite("Plans of shards: every combination is in one shard, and a plan is what its digest says")
struct ShardedPlanTests {
    private func plan(requests: [Int], shardSeconds: Double, policies: Int = 20, capacities: Int = 8) throws
        -> ShardedPlan
    {
        let block = ShardedPlan.Block(
            traces: Array(requests.indices), policies: (0..<policies).map { "p\($0)" },
            capacities: (0..<capacities).map { "\($0 + 1)%" }, admissions: ["always"], expiry: ["ignore"], warmUp: nil,
            seeds: nil)
        return try ShardedPlan(
            assayVersion: "1", commandLine: ["sweep"], workingDirectory: "/", seed: 1, blocks: [block],
            inputs: requests.enumerated().map { index, requests in
                (
                    ShardedPlan.Trace(
                        argument: "t\(index)", name: "t\(index)", digest: "d\(index)", requests: requests,
                        objects: requests / 4, basis: .stated), isCompiled: index % 2 == 0
                )
            }, shardSeconds: shardSeconds)
    }

    @Test(arguments: [1e-9, 0.5, 60, 1e9])
    func `the parts of a trace have all its combinations, and keep to the time where they can`(_ seconds: Double) throws
    {
        let plan = try plan(requests: [1, 1000, 3_000_000], shardSeconds: seconds)
        for trace in plan.traces.indices {
            let shards = plan.shards.filter { $0.trace == trace }
            #expect(shards.map(\.part) == Array(0..<shards.count) && shards.allSatisfy { $0.parts == shards.count })
            #expect(shards.reduce(0) { $0 + $1.combinations } == 160 && shards.allSatisfy { $0.combinations > 0 })
            let read = plan.calibration.readNanosecondsPerRequest / 1e9
            let reading = trace % 2 == 0 ? 0 : Double(plan.traces[trace].requests) * read
            let isKept = shards.allSatisfy { $0.combinations == 1 || ($0.seconds - reading) / 2 <= seconds }
            #expect(isKept, "\(shards.map(\.seconds))")
        }
        #expect(plan.combinations == 480)
    }

    @Test func `a plan comes back from its file, and any other file is refused`() throws {
        let plan = try plan(requests: [10, 3_000_000], shardSeconds: 1)
        let text = try plan.text()
        #expect(try ShardedPlan(decoding: text, from: "plan.json") == plan)
        for length in stride(from: 0, to: text.count - 2, by: 97) {
            #expect(throws: AssayError.self) { try ShardedPlan(decoding: text.prefix(length), from: "plan.json") }
        }
        let digits = text.indices.filter { text[$0] == UInt8(ascii: "1") }
        for index in digits {
            var damaged = text
            damaged[index] = UInt8(ascii: "7")
            #expect(throws: AssayError.self) { try ShardedPlan(decoding: damaged, from: "plan.json") }
        }
    }

    /// A plan from a stranger has a digest that fits whatever it says.
    @Test func `numbers that would lead out of the plan are refused though the digest fits`() throws {
        let sound = try plan(requests: [10], shardSeconds: 1)
        let changes: [(inout ShardedPlan) -> Void] = [
            { $0.shards[0].trace = 1 }, { $0.shards[0].trace = -1 }, { $0.shards[0].part = 1 },
            { $0.shards[0].parts = 0 },
            { $0.shards[0].combinations = .max }, { $0.shards[0].traceBytes = -1 }, { $0.blocks[0].traces = [1] },
            { $0.traces[0].requests = .min }, { $0.calibration.requestsPerObject = 0 }, { $0.shards[0].seconds = -1 },
        ]
        for (number, change) in changes.enumerated() {
            var plan = sound
            change(&plan)
            let resealed = try plan.resealed()
            #expect(throws: AssayError.self, "change \(number)") {
                try ShardedPlan(decoding: try resealed.text(), from: "plan.json")
            }
        }
        #expect(try ShardedPlan(decoding: sound.resealed().text(), from: "plan.json") == sound)
    }
}

@Suite("The directory of a sweep: a shard has one process")
struct ShardFolderTests {
    @Test func `a claim excludes others until it ends, and shards do not disturb each other`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "shards-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let plan = try ShardedPlan(
            assayVersion: "1", commandLine: [], workingDirectory: "/", seed: 1, blocks: [], inputs: [], shardSeconds: 1)
        let folder = try ShardFolder(creating: path, plan)
        #expect(try ShardFolder(creating: path, plan).plan == plan)
        var first = try folder.claim(0)
        #expect(first != nil && folder.isClaimed(0) && !folder.isClaimed(1))
        // Another descriptor of the file that is closed must not end the first claim, as it does with locks of processes.
        #expect(try folder.claim(0) == nil)
        var second = try folder.claim(1)
        #expect(second != nil && folder.isClaimed(1))
        second = nil
        #expect(folder.isClaimed(0) && !folder.isClaimed(1) && second == nil)
        first = nil
        #expect(!folder.isClaimed(0) && first == nil)
        #expect(try folder.claim(0) != nil)
    }
}
