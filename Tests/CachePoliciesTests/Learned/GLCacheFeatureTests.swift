#if LightGBM
    import CacheCore
    import CachePolicies
    import Testing

    @testable import LearnedPolicies

    /// The segments of GL-Cache, their features and labels, against values worked out by hand.
    @Suite("Segments of GL-Cache")
    struct GLCacheFeatureTests {
        private typealias Segments = SegmentQueue<ByteSizes>

        /// Segments of two objects: 0 and 1 of 10 and 30 bytes, 2 and 3 of 20, 4 of 50. Each request is a second.
        private func filled(_ clock: inout SegmentClock) -> Segments {
            var segments = Segments(objects: 6, size: 2)
            for (id, size) in [10, 30, 20, 20, 50].enumerated() {
                clock.advance(Request(id: ObjectID(id), size: size, index: id), isHit: false)
                segments.append(ObjectID(id), weight: size, clock)
            }
            return segments
        }

        @Test func `a segment has its age, mean size, requests and requested objects, and the load`() {
            var clock = SegmentClock(isTimed: false)
            var segments = filled(&clock)
            for id in [ObjectID(1), 1, 0] {
                clock.advance(Request(id: id, index: 0), isHit: true)
                segments.record(id, clock)
            }
            let (first, count, weight) = (segments[segments.oldest], segments.count, segments.residentWeight)
            // Made at second 0, and now is 7. The load is what it was at first: a request a second, half of them misses.
            #expect(SegmentTraining.features(first, at: clock.seconds) == [7, 20, 3, 2, 1, 0.5])
            #expect(count == 3 && weight == 130)
        }

        @Test func `a merger keeps the objects with the greatest score in a segment of its own`() {
            var clock = SegmentClock(isTimed: false)
            var segments = filled(&clock)
            let chosen = segments.consecutive(2, from: segments.oldest) ?? []
            let tooMany = segments.consecutive(3, from: segments.oldest)
            // Scores are 1e8 over size and age, of at least 1: ages are 4, 3, 2 and 1.
            let scores = (ObjectID(0)..<4).map { segments.score(of: $0, clock) }
            let expected: [Double] = zip([10.0, 30, 20, 20], [4.0, 3, 2, 1]).map { 1e8 / $0 / $1 }
            #expect(scores == expected)
            let (cutoff, kept) = segments.cutoff(chosen, clock)
            #expect(cutoff == 2.5e6 && kept == 2 && tooMany == nil)
        }

        @Test func `a segment that those behind it left as the last one has no row any more`() {
            var clock = SegmentClock(isTimed: false)
            var segments = filled(&clock)
            var training = SegmentTraining(objects: 6, skipped: 1)
            _ = training.restart(with: &segments, clock)
            segments.remove(4)
            segments.release(segments.newest)
            let before = segments[segments.newest].row
            _ = training.restart(with: &segments, clock)
            let after = segments[segments.newest].row
            #expect(before == 1 && after == -1 && training.count == 1)
        }

        @Test func `times centuries apart are seconds`() {
            var clock = SegmentClock(isTimed: true)
            for time in [-9_000_000_000, 9_000_000_000] {
                var request = Request(id: 0, index: 0)
                request.timeNanoseconds = Int64(time) * 1_000_000_000
                clock.advance(request, isHit: false)
            }
            #expect(clock.seconds == 1.8e10)
        }

        @Test func `the use of a segment counts what it would not keep, with the time since its row was made`() {
            var clock = SegmentClock(isTimed: false)
            var segments = filled(&clock)
            var training = SegmentTraining(objects: 6, skipped: 1)
            let forgotten = training.restart(with: &segments, clock)
            let rows = [segments.oldest, segments.after(segments.oldest), segments.newest].map { segments[$0].row }
            #expect(forgotten == [] && rows == [0, 1, -1])
            for id in [ObjectID(0), 1, 0] {
                clock.advance(Request(id: id, index: 0), isHit: true)
                training.use(0, size: id == 0 ? 10 : 30, clock)
            }
            // The first request is skipped; the others came 2 and 3 requests after the row was made, which count with one more.
            let (second, third): (Double, Double) = (1e6 / 3 / 30, 1e6 / 4 / 10)
            let counted = training.label(of: 0)
            #expect(counted == second + third)
            training.restart(0, clock)
            training.addGhost(0, 0)
            clock.advance(Request(id: 0, index: 0), isHit: false)
            training.useGhosts(of: 0, size: 10, clock)
            let hasGhost = training.hasGhost(0)
            let label = training.label(of: 0)
            #expect(label == 50_000 && !hasGhost)
        }

        @Test func `seconds are those of the trace, or requests where it states none`() {
            func seconds(_ times: [Int64], isTimed: Bool = true) -> [Double] {
                var clock = SegmentClock(isTimed: isTimed)
                return times.map { time in
                    var request = Request(id: 0)
                    request.timeNanoseconds = time * 1_000_000_000
                    clock.advance(request, isHit: false)
                    return clock.seconds
                }
            }
            #expect(seconds([0, 0, 0], isTimed: false) == [0, 1, 2])
            #expect(seconds([0, 0, 60, 61]) == [0, 0, 60, 61])
            #expect(seconds([1000, 1005, 1003, 1100]) == [0, 5, 5, 100])
        }

        /// Requests within two seconds, and the same without times or with times of 0: only the latter last as long as a training waits.
        @Test(
            .enabled(if: LearnedCalls.isOpenable, LearnedCalls.skipped), arguments: [nil, 0, 1_000_000] as [Int64?])
        func `a replay trains by the times of its trace`(_ nanosecondsApart: Int64?) throws {
            let trace = LearnedCalls.mixed(2000, times: nanosecondsApart)
            let counts = try LearnedCalls.counts("gl-cache:segment=2,retrain=20,rank=1", trace.columns, .objects(300))
            #expect(counts.training.map { $0.trainings > 0 } == ((nanosecondsApart ?? 0) == 0))
        }

        @Test(.enabled(if: LearnedCalls.isOpenable, LearnedCalls.skipped))
        func `a trace whose times are far apart trains once in as many requests as it has rows`() throws {
            let trace = LearnedCalls.mixed(2000, times: 100_000_000_000)
            let counts = try LearnedCalls.counts("gl-cache:segment=2,retrain=20,rank=1", trace.columns, .objects(300))
            // 150 segments are full after some 400 requests, and then all but the newest have rows.
            #expect(counts.training.map { 5...30 ~= $0.trainings } == true, "\(counts.training?.trainings ?? 0)")
        }

        @Test(.enabled(if: LearnedCalls.isOpenable, LearnedCalls.skipped))
        func `segments whose objects were removed go`() throws {
            let call = try LearnedCalls.call("gl-cache:segment=2,retrain=20,rank=1")
            var policy = try GLCachePolicy<UnitSizes>(call.configuration(.objects(300), ObjectSpace(count: 1000)))
            for id in ObjectID(0)..<1000 {
                var sink = CountingSink()
                _ = policy.insert(Request(id: id), evicting: &sink)
                policy.remove(id)
            }
            let count = policy.segments.count
            #expect(count <= 2)
        }
    }
#endif
