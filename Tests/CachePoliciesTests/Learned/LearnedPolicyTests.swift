#if LightGBM
    import CacheConformance
    import CacheCore
    import CachePolicies
    import Foundation
    import Testing

    @testable import LearnedPolicies

    /// Policies that learn, at parameters by which they train often on short traces.
    enum LearnedCalls {
        static let isOpenable = (try? LightGBMLibrary.shared()) != nil
        static let skipped: Comment = "LightGBM's library cannot be opened: name lib_lightgbm.so in ASSAY_LIGHTGBM"

        /// Calls that train within some hundred requests.
        static let hasty = [
            "lrb:window=60,batch=20,candidates=4,trees=3,leaves=4",
            "lrb:window=7,batch=5,candidates=1,trees=1,objective=object-miss-ratio",
            "3l-cache:batch=20,trees=3,leaves=4", "3l-cache:batch=5,trees=1,objective=object-miss-ratio",
            "gl-cache:segment=2,retrain=20,rank=1", "gl-cache:segment=6,merge=3,retrain=50,trees=2",
        ]
        /// Calls that a trace of tens of thousands of requests teaches.
        static let steady = [
            "lrb:window=20000,batch=3000", "3l-cache:batch=1000", "gl-cache:segment=10,retrain=5000",
        ]

        static func call(_ text: String) throws -> PolicyCall { try PolicyCall(text, in: BuiltinPolicies.learning) }

        static func counts(_ text: String, _ columns: RequestColumns, _ capacity: Capacity) throws -> ReplayCounts {
            try call(text).simulate(columns, capacity)
        }

        /// A loop that is longer than caches, objects that are requested once, and some that are requested often.
        static func mixed(_ count: Int, sizes: Bool = false, times nanosecondsApart: Int64? = nil) -> TestTrace {
            var generator = SeededGenerator(seed: 5)
            var ids: [UInt32] = []
            var (step, next) = (UInt32(0), UInt32(1000))
            for _ in 0..<count {
                switch generator.next(below: 4) {
                case 0, 1:
                    ids.append(step % 800)
                    step += 1
                case 2: ids.append(800 + UInt32(generator.next(below: 1 + generator.next(below: 200))))
                default:
                    ids.append(next)
                    next += 1
                }
            }
            return TestTrace(
                ids: ids, sizes: sizes ? ids.map { 50 + $0 * 37 % 300 } : nil,
                times: nanosecondsApart.map { apart in ids.indices.map { Int64($0) * apart } })
        }
    }

    @Suite("Policies that learn", .enabled(if: LearnedCalls.isOpenable, LearnedCalls.skipped))
    struct LearnedPolicyTests {
        @Test(arguments: LearnedCalls.hasty)
        func `keeps the contract of every policy`(_ text: String) throws {
            let call = try LearnedCalls.call(text)
            for seed in UInt64(1)...2 {
                let report = ConformanceSuite.policy.run(on: call.subject, seed: seed)
                for result in report.failures {
                    Issue.record("\(text): \(result.id) \(result.failure?.description ?? "")")
                }
                #expect(report.count(of: "pass") >= 10, "too little of \(text) is asked")
            }
        }

        @Test(arguments: LearnedCalls.steady, [Capacity.objects(400), .bytes(80_000)])
        func `hits more than LRU where objects differ, and never more than a bound`(
            _ text: String, _ capacity: Capacity
        ) throws {
            let columns = LearnedCalls.mixed(30_000, sizes: capacity.unit == .bytes).columns
            let counts = try LearnedCalls.counts(text, columns, capacity)
            let recency = try PolicyCall("lru").simulate(columns, capacity)
            #expect(counts.hits > recency.hits * 5 / 4, "\(counts.hits) hits, \(recency.hits) of LRU")
            #expect(
                counts.training.map { $0.trainings > 1 && $0.trainingSeconds > 0 && $0.predictionSeconds > 0 } == true)
            if capacity.unit == .objects {
                #expect(counts.hits <= (try PolicyCall("belady").simulate(columns, capacity)).hits)
            } else {
                let trace = LearnedCalls.mixed(30_000, sizes: true).columns
                #expect(counts.hits <= (try PolicyCall("pfoo-l").simulate(trace, capacity)).hits)
            }
        }

        @Test(arguments: LearnedCalls.steady + LearnedCalls.hasty)
        func `counts the same alone and beside other replays`(_ text: String) async throws {
            let columns = LearnedCalls.mixed(10_000).columns
            let alone = try LearnedCalls.counts(text, columns, .objects(300))
            let beside = try await withThrowingTaskGroup(of: ReplayCounts.self) { group in
                for _ in 0..<4 { group.addTask { try LearnedCalls.counts(text, columns, .objects(300)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(beside.count == 4 && beside.allSatisfy { $0 == alone })
        }

        @Test(arguments: LearnedCalls.steady)
        func `refuses live caches, with the reason`(_ text: String) throws {
            let call = try LearnedCalls.call(text)
            var configuration = call.configuration(.objects(4), ObjectSpace(count: 8))
            configuration.plannedResidents = 4
            let refusal = #expect(throws: AssayError.self) { try call.entry.open(configuration) }
            #expect(refusal?.code == .usage && refusal?.message.contains("simulated only") == true)
        }

        @Test func `a policy that does not learn reports no training`() throws {
            let counts = try PolicyCall("lru").simulate(LearnedCalls.mixed(100).columns, .objects(9))
            #expect(counts.training == nil)
        }

        @Test func `a failure of LightGBM ends a replay with its words`() throws {
            let learner = TreeLearner()
            var configuration = PolicyConfiguration(
                capacity: .objects(1), objects: ObjectSpace(count: 1),
                parameters: try LearnedCalls.call(LearnedCalls.steady[0]).parameters)
            configuration.context = learner
            _ = try TreeLearner.opened(configuration, "x", TreeSettings(configuration.parameters, features: 1, ""))
            learner.train(TrainingBatch())
            #expect(learner.failure?.code == .unavailable && learner.failure?.cause?.isEmpty == false)
        }
    }

    @Suite("LightGBM's library")
    struct LightGBMLibraryTests {
        @Test func `says where it looked and how to get it`() throws {
            let missing = #expect(throws: AssayError.self) { try LightGBMLibrary(path: "./nowhere/lib_lightgbm.so") }
            #expect(missing?.code == .unavailable && missing?.cause?.contains("nowhere") == true)
            for words in ["./nowhere/lib_lightgbm.so", "ASSAY_LIGHTGBM", "pip download", "libgomp.so.1"] {
                #expect(missing?.message.contains(words) == true, "\(words)")
            }
        }

        @Test func `refuses a library that is another`() throws {
            let other = #expect(throws: AssayError.self) { try LightGBMLibrary(path: "libm.so.6") }
            #expect(other?.code == .unavailable && other?.message.contains("LGBM_ByteBufferGetAt") == true)
        }
    }
#endif
