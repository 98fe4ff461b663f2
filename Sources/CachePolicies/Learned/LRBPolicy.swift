#if LightGBM
    public import CacheCore
    internal import PolicySupport

    /// Evicts, of random residents, the one whose next request is predicted to be farthest away.
    ///
    /// Song, Berger, Li and Lloyd, "Learning relaxed Belady for content distribution network caching", NSDI 2020, with the parameters,
    /// features and labels of the authors' code (github.com/sunnyszy/lrb, 2021). Objects that were requested within the memory window are
    /// remembered, resident or not. Once the cache has been full, each request draws one of them as a sample; the sample's label is the
    /// logarithm of the time to the object's next request, or of twice the window where that does not come within it. As soon as there are
    /// `batch` labels a model is trained and replaces the one before. Before the first, and where a resident has not been requested
    /// for a window, the least recently used resident leaves; else the farthest of `candidates` random residents, the newcomer among them.
    ///
    /// In objects the size is 1. Otherwise than in that code the candidates are all residents where there are fewer, and an object that
    /// enters again has its new size. 34 bytes an object of the trace (42 in bytes), 170 for each that was requested twice within the window,
    /// 12 for each feature of a batch and 8 for each label that is waited for, of which there are at most 2^26. Times have 32 bits. Live caches are refused.
    public struct LRBPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
        private let capacity: Int
        private let window: UInt32
        private let batchRows: Int
        private let candidateCount: Int
        private let ranksBySize: Bool
        private let learner: TreeLearner
        private var known: WindowedObjects<Sizes>
        private var generator: SeededGenerator
        /// Whether the cache has been full once.
        private var isSampling = false
        private var batch = TrainingBatch()
        private var candidates: [ObjectID] = []
        private var candidateRows = FeatureRows()
        private var scores: [Double] = []
        /// What was forgotten since the last insertion, which is to tell of it.
        private var untold: [ObjectID] = []

        /// The window, and how samples, candidates and trees are made.
        public static var descriptor: PolicyDescriptor {
            PolicyDescriptor(
                name: "lrb", family: "learned",
                summary: "Evicts, of random residents, the one that boosted trees expect to be requested last.",
                citation: "Song et al., NSDI 2020",
                parameters: [
                    ParameterSpecification(
                        "window", .integer(default: 1 << 26, 1...1 << 30),
                        "How many requests an object is remembered for; the paper searches it on the first fifth of a trace."
                    ),
                    ParameterSpecification(
                        "batch", .integer(default: 131_072, 1...1 << 22),
                        "How many labelled samples a model is trained with."),
                    ParameterSpecification(
                        "candidates", .integer(default: 64, 1...1024), "How many residents are drawn to find a victim."),
                    ParameterSpecification(
                        "objective", .choice(default: "byte-miss-ratio", ["byte-miss-ratio", "object-miss-ratio"]),
                        "What is to become small; for the object miss ratio predictions are multiplied by sizes."),
                ] + TreeSettings.parameters(trees: 32), isDeterministic: false,
                memory: MemoryCost(
                    perObject: 204, perResident: 4, fixed: 72_000_000, perObjectInBytes: 212, perResidentInBytes: 4),
                deviations: ["": .hasUnboundedGhosts])
        }

        /// An empty cache without a model.
        ///
        /// - Throws: `AssayError` with code `unavailable` without LightGBM's library, and with code `usage` in a live cache.
        public init(_ configuration: PolicyConfiguration) throws(AssayError) {
            let values = configuration.parameters
            let window = UInt32(values.integer("window"))
            let learner = try TreeLearner.opened(
                configuration, "lrb",
                TreeSettings(
                    values, features: RequestHistories.features,
                    "feature_fraction=0.8 bagging_freq=5 bagging_fraction=0.8"))
            (self.learner, self.window) = (learner, window)
            capacity = configuration.capacity.amount
            batchRows = values.integer("batch")
            candidateCount = values.integer("candidates")
            ranksBySize = values.text("objective") == "object-miss-ratio"
            known = WindowedObjects(objects: configuration.objects.count, window: window)
            generator = SeededGenerator(seed: configuration.seed)
        }

        public var residentCount: Int { known.residents.count() }
        public var residentWeight: Int { known.residents.weight() }
        public func contains(_ id: ObjectID) -> Bool { known.residents.contains(id) }
        /// Whether LightGBM failed.
        public var isFrozen: Bool { learner.failure != nil }
        /// Adds what training and predictions took.
        public func report(into counts: inout ReplayCounts) { counts.training = learner.cost }

        /// Labels the samples of a resident and counts its request.
        public mutating func touch(_ request: Request) -> Bool {
            guard known.residents.contains(request.id) else { return false }
            beginRequest()
            observe(request.id)
            known.residents.moveToFront(request.id)
            drawSample()
            return true
        }

        /// Lets the object in and evicts residents, of which it is one, until all fits.
        public mutating func insert<Sink: EvictionSink & ~Copyable>(
            _ request: Request, evicting sink: inout Sink
        ) -> Bool {
            let (id, weight) = (request.id, Sizes.weight(of: request))
            beginRequest()
            for other in untold where other != id { sink.forgotten(other) }
            untold.removeAll(keepingCapacity: true)
            guard weight <= capacity, learner.failure == nil else {
                known.forget(id)
                sink.forgotten(id)
                return false
            }
            if known.isKnown(id) { observe(id) }
            drawSample()
            known.admit(id, weight: weight)
            while residentWeight > capacity {
                isSampling = true
                evictOne(into: &sink)
            }
            return contains(id)
        }

        /// Forgets the object with its samples.
        public mutating func remove(_ id: ObjectID) {
            known.forget(id)
            untold.removeAll { $0 == id }
        }

        /// Counts the request, and forgets the object outside of the cache that was requested a window ago.
        private mutating func beginRequest() {
            known.advance()
            while let id = known.nextExpired() {
                label(id, next: 2 * Int(window))
                known.forget(id)
                untold.append(id)
            }
        }

        /// Labels the samples of a known object that is requested, and counts the request.
        private mutating func observe(_ id: ObjectID) {
            let now = known.now
            label(id) { Int(now &- $0) }
            known.record(id)
        }

        /// Draws one of all known objects.
        private mutating func drawSample() {
            guard isSampling, known.count > 0 else { return }
            known.sample(known.member(generator.next(below: known.count)))
        }

        private mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
            let victim = chooseVictim()
            let age = known.age(of: victim)
            sink.evicted(victim)
            guard age >= window else { return known.demote(victim) }
            label(victim, next: Int(age) + Int(window))
            known.forget(victim)
            sink.forgotten(victim)
        }

        private mutating func chooseVictim() -> ObjectID {
            let oldest = known.residents.back().unsafelyUnwrapped
            guard learner.isTrained, known.age(of: oldest) < window else { return oldest }
            drawCandidates()
            candidateRows.removeAll()
            for id in candidates {
                known.writeFeatures(of: id, at: known.now, into: &candidateRows)
                candidateRows.endRow()
            }
            learner.predict(candidateRows, into: &scores)
            guard learner.failure == nil else { return oldest }
            if ranksBySize {
                for (place, id) in candidates.enumerated() { scores[place] *= Double(known.residents.weight(of: id)) }
            }
            let farthest = candidates.indices.max { scores[$0] < scores[$1] }
            return candidates[farthest.unsafelyUnwrapped]
        }

        /// Draws residents, each at most once.
        private mutating func drawCandidates() {
            candidates.removeAll(keepingCapacity: true)
            if residentCount <= candidateCount { return known.appendResidents(to: &candidates) }
            while candidates.count < candidateCount {
                let id = known.member(generator.next(below: residentCount))
                if !candidates.contains(id) { candidates.append(id) }
            }
        }

        private mutating func label(_ id: ObjectID, next distance: Int) { label(id) { _ in distance } }

        /// Moves an object's samples to the batch with the distances that followed them, and trains when it is full.
        private mutating func label(_ id: ObjectID, distance: (UInt32) -> Int) {
            while let time = known.takeSample(of: id) {
                known.writeFeatures(of: id, at: time, into: &batch.rows)
                batch.endRow(label: PortableMath.log(1 + Double(distance(time))))
                guard batch.count >= batchRows else { continue }
                learner.train(batch)
                batch.removeAll()
            }
        }
    }
#endif
