#if LightGBM
    public import CacheCore
    internal import PolicySupport

    /// Evicts the resident with the farthest predicted request of those that two samplers chose: new objects, and old ones that were requested
    /// seldom.
    ///
    /// Zhou, Zheng, Tian and others, "3L-Cache: low overhead and precise learning-based eviction policy for caches", FAST 2025, with the
    /// parameters, features and labels of the authors' code (github.com/optiq-lab/3L-Cache, 2025). Objects that left are remembered, as many as
    /// residents at first and up to five times as many while that brings more hits. A request draws one of all known objects as a sample, which
    /// gets a label when it is requested again or forgotten. Before the first model, the least recently used resident leaves. Then a few
    /// hundredths of the queue are predicted together, and the half of them whose requests are farthest leaves one by one.
    ///
    /// In objects the size is 1. Otherwise than in that code, which leaves both undefined, the scan begins with the least recently used
    /// resident, which also leaves where all predictions were withdrawn. 39 bytes an object of the trace (47 in bytes), 16 a resident
    /// and 12 for each feature of a batch. Times have 32 bits. Live caches are refused.
    public struct ThreeLCachePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
        /// The most weight that may be resident.
        public let capacity: Int
        private let batchRows: Int
        private let ranksBySize: Bool
        private let learner: TreeLearner
        private var objects: SlidingWindowObjects<Sizes>
        private var predictions: PredictionHeap
        private var scan: BidirectionalScan
        private var window = SlidingWindowLength()
        private var generator: SeededGenerator
        private var isSampling = false
        private var batch = TrainingBatch()
        /// How many more of the predicted leave before others are predicted.
        private var evictionsLeft = 0
        /// The request of the last training.
        private var trainedAt: UInt32 = 0
        /// The longest time after its last request at which an object was forgotten: before the last training, and so far.
        private var (oldestBefore, oldestForgotten) = (0, 0)
        private var candidates: [ObjectID] = []
        private var candidateRows = FeatureRows()
        private var scores: [Double] = []
        /// What was forgotten since the last insertion, which is to tell of it.
        private var untold: [ObjectID] = []

        /// The batch, the objective and how trees are made.
        public static var descriptor: PolicyDescriptor {
            PolicyDescriptor(
                name: "3l-cache", aliases: ["3lcache"], family: "learned",
                summary:
                    "Evicts, of new and of seldom requested residents, those that boosted trees expect to be requested last.",
                citation: "Zhou et al., FAST 2025",
                parameters: [
                    ParameterSpecification(
                        "batch", .integer(default: 65_536, 1...1 << 22),
                        "How many labelled samples a model is trained with."),
                    ParameterSpecification(
                        "objective", .choice(default: "byte-miss-ratio", ["byte-miss-ratio", "object-miss-ratio"]),
                        "What is to become small; for the object miss ratio predictions are multiplied by sizes."),
                ] + TreeSettings.parameters(trees: 16), isDeterministic: false,
                memory: MemoryCost(
                    perObject: 39, perResident: 16, fixed: 5_500_000, perObjectInBytes: 47, perResidentInBytes: 16))
        }

        /// An empty cache without a model.
        ///
        /// - Throws: `AssayError` with code `unavailable` without LightGBM's library, and with code `usage` in a live cache.
        public init(_ configuration: PolicyConfiguration) throws(AssayError) {
            let values = configuration.parameters
            let ranksBySize = values.text("objective") == "object-miss-ratio"
            let learner = try TreeLearner.opened(
                configuration, "3l-cache",
                TreeSettings(
                    values, features: SlidingWindowObjects<Sizes>.features,
                    "feature_fraction=0.8 bagging_freq=5 bagging_fraction=0.8"))
            capacity = configuration.capacity.amount
            batchRows = values.integer("batch")
            (self.learner, self.ranksBySize) = (learner, ranksBySize)
            objects = SlidingWindowObjects(objects: configuration.objects.count)
            predictions = PredictionHeap(objects: configuration.objects.count)
            scan = BidirectionalScan(takesAll: ranksBySize)
            generator = SeededGenerator(seed: configuration.seed)
        }

        public var residentCount: Int { objects.count }
        public var residentWeight: Int { objects.weight }
        public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }
        public func contains(_ id: ObjectID) -> Bool { objects.isResident(id) }
        /// Whether LightGBM failed.
        public var isFrozen: Bool { learner.failure != nil }
        /// Adds what training and predictions took.
        public func report(into counts: inout ReplayCounts) { counts.training = learner.cost }

        /// Labels the sample of a resident and counts its request.
        public mutating func touch(_ request: Request) -> Bool {
            guard objects.isResident(request.id) else { return false }
            serve(request.id)
            return true
        }

        /// Counts a request that misses.
        public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
            _ request: Request, weight: Int, into sink: inout Sink
        ) -> Bool {
            serve(request.id)
            for id in untold where id != request.id { sink.forgotten(id) }
            untold.removeAll(keepingCapacity: true)
            return learner.failure == nil
        }

        /// Makes an object resident, as a new one of which the next prediction may be.
        public mutating func admit<Sink: EvictionSink & ~Copyable>(
            _ request: Request, weight: Int, into sink: inout Sink
        ) {
            objects.admit(request.id, weight: weight)
            if learner.isTrained { scan.newcomers.append(request.id, weight: weight) }
        }

        /// Evicts the predicted resident whose request is farthest; without a model the least recently used one.
        public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
            let victim = predictedVictim() ?? objects.oldest.unsafelyUnwrapped
            isSampling = true
            evictionsLeft -= 1
            leave(victim)
            objects.demote(victim)
            sink.evicted(victim)
        }

        /// Forgets the object with its sample.
        public mutating func remove(_ id: ObjectID) {
            leave(id)
            objects.forget(id)
            untold.removeAll { $0 == id }
        }

        private mutating func leave(_ id: ObjectID) {
            guard objects.isResident(id) else { return }
            predictions.remove(id)
            if scan.pointer == id { scan.pointer = objects.next(after: id).flatMap { $0 == id ? nil : $0 } }
        }

        /// What every request does: labels, counts, draws a sample, and forgets what left longest ago.
        private mutating func serve(_ id: ObjectID) {
            objects.advance()
            window.count(isResident: objects.isResident(id), isKnown: objects.isKnown(id))
            if objects.isKnown(id) {
                if let sampled = drawnSample(of: id) { label(id, sampled, next: Int(objects.now &- sampled)) }
                leave(id)
                objects.record(id)
            }
            if isSampling { objects.sample(&generator) }
            guard window.isOver(departed: objects.departedCount, residents: objects.count) else { return }
            guard let oldest = objects.popDeparted() else { return }
            if let sampled = drawnSample(of: oldest) {
                let age = Int(objects.now &- objects.lastRequest(of: oldest))
                oldestForgotten = max(oldestForgotten, age)
                label(oldest, sampled, next: oldestBefore + age)
            }
            objects.forget(oldest)
            untold.append(oldest)
        }

        /// Takes an object's sample; nil if it has none, and once there is a model for three of four.
        private mutating func drawnSample(of id: ObjectID) -> UInt32? {
            guard let sampled = objects.takeSample(of: id) else { return nil }
            return !learner.isTrained || generator.next(below: 4) == 0 ? sampled : nil
        }

        /// Adds a labelled sample to the batch unless that is full, and trains when it is and no prediction is waited for.
        private mutating func label(_ id: ObjectID, _ sampled: UInt32, next distance: Int) {
            guard batch.count < batchRows || evictionsLeft <= 0 else { return }
            objects.writeFeatures(of: id, at: sampled, into: &batch.rows)
            batch.endRow(label: PortableMath.log(1 + Double(distance)))
            guard batch.count >= batchRows, evictionsLeft <= 0 else { return }
            learner.train(batch)
            batch.removeAll()
            predictions.removeAll()
            (oldestBefore, trainedAt) = (oldestForgotten, objects.now)
            window.adapt()
        }

        private mutating func predictedVictim() -> ObjectID? {
            guard learner.isTrained, learner.failure == nil else { return nil }
            if evictionsLeft <= 0 || predictions.count == 0 {
                let isNewPass = scan.choose(&candidates, of: objects)
                if isNewPass { predictions.removeAll() }
                predict()
                evictionsLeft = candidates.count / 2
            }
            guard learner.failure == nil, let victim = predictions.popGreatest() else { return nil }
            scan.noteEviction(requests: objects.requests(of: victim), lastRequest: objects.lastRequest(of: victim))
            return victim
        }

        private mutating func predict() {
            candidateRows.removeAll()
            for id in candidates {
                objects.writeFeatures(of: id, at: objects.now, into: &candidateRows)
                candidateRows.endRow()
            }
            learner.predict(candidateRows, into: &scores)
            guard learner.failure == nil else { return }
            // Predictions of several requests are compared: for bytes they are times after the last training.
            let elapsed = Double(objects.now &- trainedAt)
            for (place, id) in candidates.enumerated() {
                let distance = PortableMath.exp(scores[place])
                predictions.add(id, Float(ranksBySize ? Double(objects.weight(of: id)) * distance : distance + elapsed))
            }
        }
    }
#endif
