#if LightGBM
    public import CacheCore
    internal import PolicySupport

    /// Evicts by groups: merges the segments whose use is predicted to be least, and keeps the objects of them that were requested last.
    ///
    /// Yang, Mao, Yue and Rashmi, "GL-Cache: group-level learning for efficient and high-performance caching", FAST 2023, with the
    /// parameters, features and labels of the authors' code (github.com/Thesys-lab/fast23-GLCache, 2023). Objects enter a segment until it has
    /// `segment` of them. To make room, `merge` consecutive segments become one, which keeps the objects with the greatest 1 / (size × time since
    /// the last request). Which ones, says a model of a segment's use, asked anew after `rank` of all segments were merged; before the
    /// first model they are merged in the order of the queue. Every `retrain` seconds a model is trained with the features that segments
    /// had at the last training, and with the use that was made of them since: the sum of 1 / (time since then × size) over requests of
    /// their objects, those that left among them, but the first `segment` / `merge`. Where a trace states no times, or only 0, a request is a second.
    ///
    /// The authors' code grows trees by XGBoost; LightGBM grows them here with the same depth, rate, penalty and end. Otherwise than in that code,
    /// the first rows are taken after `retrain` and not after a day, a merger keeps its objects divided by `merge`, and where there are more than
    /// 8,192 segments the rows are drawn otherwise. In objects the size is 1. 14 bytes an object of the trace (22 in bytes), 8 a resident, and 12 for each of those that left since the last training. Live
    /// caches are refused.
    public struct GLCachePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
        /// The most weight that may be resident.
        public let capacity: Int
        private let mergeCount: Int
        private let rankShare: Double
        private let retrainSeconds: Double
        private let learner: TreeLearner
        private(set) var segments: SegmentQueue<Sizes>
        private var training: SegmentTraining
        private var clock: SegmentClock
        /// Segments by their predicted use, the least first; -1 where one was merged.
        private var ranked: [Int32] = []
        /// Where in `ranked` the next segment is.
        private var rank = 0
        /// The segment to be merged first while there is no model; nil for the oldest.
        private var next: Int32?
        /// When the rows of the next model were begun, in seconds; nil before.
        private var trainedAt: Double?
        private var trainedRequest: UInt32 = 0
        private var rows = FeatureRows()
        private var scores: [Double] = []
        /// What was forgotten since the last insertion, which is to tell of it.
        private var untold: [ObjectID] = []

        /// Needed for the features, which are in seconds.
        public static var needsTime: Bool { true }

        /// How segments are merged, and how often models are made.
        public static var descriptor: PolicyDescriptor {
            PolicyDescriptor(
                name: "gl-cache", aliases: ["glcache"], family: "learned",
                summary: "Merges the segments of objects that boosted trees expect to be used least.",
                citation: "Yang et al., FAST 2023",
                parameters: [
                    ParameterSpecification(
                        "segment", .integer(default: 100, 2...1_000_000), "How many objects a segment has."),
                    ParameterSpecification(
                        "merge", .integer(default: 2, 2...100), "How many segments are merged into one."),
                    ParameterSpecification(
                        "rank", .number(default: 0.02, 0.0001...1),
                        "After which share of the segments they are ranked anew."),
                    ParameterSpecification(
                        "retrain", .integer(default: 86_400, 1...1 << 40), "How many seconds lie between two trainings."
                    ),
                ] + TreeSettings.parameters(trees: 20, leaves: 64, rate: 0.3),
                memory: MemoryCost(
                    perObject: 14, perResident: 8, fixed: 1_000_000, perObjectInBytes: 22, perResidentInBytes: 8))
        }

        /// An empty cache without a model.
        ///
        /// - Throws: `AssayError` with code `unavailable` without LightGBM's library, and with code `usage` in a live cache and for
        ///   segments that are no larger than their share of a merger.
        public init(_ configuration: PolicyConfiguration) throws(AssayError) {
            let values = configuration.parameters
            let (size, merged) = (values.integer("segment"), values.integer("merge"))
            guard size / merged > 0 else {
                throw AssayError(
                    .usage,
                    "gl-cache: segment=\(size) is below merge=\(merged), so that a merger would keep nothing. Give larger segments."
                )
            }
            let learner = try TreeLearner.opened(
                configuration, "gl-cache",
                TreeSettings(values, features: SegmentTraining.features, "max_depth=6 lambda_l2=1 min_data_in_leaf=1"))
            capacity = configuration.capacity.amount
            (self.learner, mergeCount) = (learner, merged)
            rankShare = values.number("rank")
            retrainSeconds = Double(values.integer("retrain"))
            clock = SegmentClock(isTimed: configuration.statesTimes)
            segments = SegmentQueue(objects: configuration.objects.count, size: size)
            training = SegmentTraining(objects: configuration.objects.count, skipped: size / merged)
        }

        public var residentCount: Int { segments.residentCount }
        public var residentWeight: Int { segments.residentWeight }
        public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
        public func contains(_ id: ObjectID) -> Bool { segments.contains(id) }
        /// Whether LightGBM failed.
        public var isFrozen: Bool { learner.failure != nil }
        /// Adds what training and predictions took.
        public func report(into counts: inout ReplayCounts) { counts.training = learner.cost }

        /// Counts the request for the segment of a resident.
        public mutating func touch(_ request: Request) -> Bool {
            guard segments.contains(request.id) else { return false }
            note(request, isHit: true)
            return true
        }

        /// Counts a request that misses.
        public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
            _ request: Request, weight: Int, into sink: inout Sink
        ) -> Bool {
            note(request, isHit: false)
            for id in untold where id != request.id && !segments.contains(id) { sink.forgotten(id) }
            untold.removeAll(keepingCapacity: true)
            return learner.failure == nil
        }

        /// Adds an object to the segment that is being filled.
        public mutating func admit<Sink: EvictionSink & ~Copyable>(
            _ request: Request, weight: Int, into sink: inout Sink
        ) {
            segments.append(request.id, weight: weight, clock)
        }

        /// Merges segments, or evicts one where there are too few.
        public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
            let chosen = learner.isTrained ? leastUsed() : nextInOrder()
            let least = chosen.count > 1 ? segments.cutoff(chosen, clock) : (score: .infinity, kept: 0)
            let merged = least.kept > 0 ? segments.insertMerged(chosen, clock) : -1
            var left = least.kept
            for segment in chosen {
                let row = segments[segment].row
                for id in segments[segment].ids {
                    if row >= 0, !segments.isSeen(id) { training.addGhost(id, row) }
                    if left > 0, segments.score(of: id, clock) >= least.score {
                        left -= 1
                        segments.move(id, to: merged)
                    } else {
                        segments.drop(id)
                        sink.evicted(id)
                        if !training.hasGhost(id) { sink.forgotten(id) }
                    }
                }
                release(segment)
            }
        }

        /// Gives up a segment that holds nothing any more.
        private mutating func release(_ segment: Int32) {
            let (row, rank) = (segments[segment].row, Int(segments[segment].rank))
            if row >= 0 { training.restart(row, clock) }
            if rank >= 0, rank < ranked.count, ranked[rank] == segment { ranked[rank] = -1 }
            segments.release(segment)
        }

        /// Takes the object out of its segment, and forgets what was kept of it for training.
        public mutating func remove(_ id: ObjectID) {
            let home = segments.contains(id) ? segments.segment(of: id) : -1
            segments.remove(id)
            training.forget(id)
            untold.removeAll { $0 == id }
            guard home >= 0, home != segments.newest, segments[home].ids.isEmpty else { return }
            if next == home { next = segments.after(home) }
            release(home)
        }

        /// What every request does: counts for segments, and trains when it is time.
        private mutating func note(_ request: Request, isHit: Bool) {
            let (id, weight) = (request.id, Sizes.weight(of: request))
            clock.advance(request, isHit: isHit)
            if isHit {
                segments.record(id, clock)
                let row = segments[segments.segment(of: id)].row
                if row >= 0 { training.use(row, size: weight, clock) }
            }
            training.useGhosts(of: id, size: weight, clock)
            // A trace whose times are far apart may not train more often than it asks.
            guard clock.seconds - (trainedAt ?? 0) > retrainSeconds,
                Int(clock.requests &- trainedRequest) >= training.count
            else { return }
            trainedRequest = clock.requests
            if trainedAt != nil { training.train(learner) }
            trainedAt = clock.seconds
            untold += training.restart(with: &segments, clock)
        }

        /// The next segments in the order of the queue, from the oldest on again at its end; one if there are too few for a merger.
        private mutating func nextInOrder() -> [Int32] {
            let isFew = segments.count <= mergeCount + 1
            let chosen =
                next.flatMap { segments.consecutive(mergeCount, from: $0) }
                ?? segments.consecutive(mergeCount, from: segments.oldest)
            next = chosen.flatMap { isFew ? nil : segments.after($0[mergeCount - 1]) }
            return chosen ?? [segments.oldest]
        }

        /// The segment of the least predicted use with those after it, or alone if none of four in five has enough after it.
        private mutating func leastUsed() -> [Int32] {
            if Double(rank) >= Double(ranked.count) * rankShare { rankSegments() }
            var first: Int32?
            while rank < ranked.count {
                let segment = ranked[rank]
                ranked[rank] = -1
                rank += 1
                guard segment >= 0 else { continue }
                if let chosen = segments.consecutive(mergeCount, from: segment) { return chosen }
                first = first ?? segment
                if Double(rank - 1) > Double(ranked.count) * 0.8 { break }
            }
            ranked.removeAll(keepingCapacity: true)
            return [first ?? segments.oldest]
        }

        /// Predicts the use of all segments: what the model says of a segment counts for each byte of it.
        private mutating func rankSegments() {
            rows.removeAll()
            ranked.removeAll(keepingCapacity: true)
            rank = 0
            var segment = segments.oldest
            while segment >= 0 {
                rows.add(SegmentTraining.features(segments[segment], at: clock.seconds))
                ranked.append(segment)
                segment = segments.after(segment)
            }
            learner.predict(rows, into: &scores)
            for (place, segment) in ranked.enumerated() where learner.failure == nil {
                let (value, weight) = (scores[place], Double(max(1, segments[segment].weight)))
                if value != 0 { segments[segment].use = value > 0 ? value * 1e6 / weight : value * weight }
            }
            let uses = ranked.map { segments[$0].use }
            ranked = uses.indices.sorted { (uses[$0], $0) < (uses[$1], $1) }.map { ranked[$0] }
            for (place, segment) in ranked.enumerated() { segments[segment].rank = Int32(place) }
        }
    }
#endif
