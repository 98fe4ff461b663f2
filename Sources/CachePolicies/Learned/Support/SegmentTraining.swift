#if LightGBM
    internal import CacheCore

    /// The rows that GL-Cache's next model is trained with: the features of segments, and the use that was made of them since.
    ///
    /// Columns: 0 the age in seconds, 1 the mean size, 2 the requests, 3 the objects that were requested, 4 the requests a second and 5 the miss ratio
    /// when it was full. 4 bytes an id, 12 for each object that left a segment with a row before it was requested.
    struct SegmentTraining: ~Copyable {
        /// The number of columns.
        static let features = 6
        /// The most rows.
        private static let most = 8192
        private static var none: UInt32 { .max }

        private struct Row {
            var features: [Double]
            /// When use began to count.
            var since: UInt32
            /// Requests that count for nothing yet, of objects that the segment would keep.
            var skipped: Int
            var use = 0.0
            var label = 0.0
        }

        private struct Ghost {
            var id: ObjectID
            var row: Int32
            var next: UInt32
        }

        private var rows: [Row] = []
        private let heads: FixedBuffer<UInt32>
        private var ghosts: [Ghost] = []
        private let skipped: Int

        /// No rows yet for ids below `objects`; the first `skipped` requests of a segment do not count.
        init(objects: Int, skipped: Int) {
            heads = FixedBuffer(repeating: Self.none, count: objects)
            self.skipped = skipped
        }

        /// The number of rows.
        var count: Int { rows.count }

        /// Whether an object left a segment with a row, and was not requested since.
        func hasGhost(_ id: ObjectID) -> Bool { heads[id] != Self.none }

        /// The use of a segment with a row so far.
        func label(of row: Int32) -> Double { rows[Int(row)].label }

        /// The features of a segment now.
        static func features(_ segment: ObjectSegment, at seconds: Double) -> [Double] {
            [
                seconds - segment.created, Double(segment.weight) / Double(max(1, segment.ids.count)),
                Double(segment.hits),
                Double(segment.active), segment.requestRate, segment.missRatio,
            ]
        }

        /// Counts a request of an object of that size for the segment with a row.
        mutating func use(_ row: Int32, size: Int, _ clock: SegmentClock) {
            rows[Int(row)].skipped += 1
            guard rows[Int(row)].skipped > skipped else { return }
            rows[Int(row)].use += 1e6 / Double(clock.requests &- rows[Int(row)].since &+ 1) / Double(max(1, size))
            rows[Int(row)].label = rows[Int(row)].use
        }

        /// Counts a request of an object for the segments that it left.
        mutating func useGhosts(of id: ObjectID, size: Int, _ clock: SegmentClock) {
            var place = heads[id]
            while place != Self.none {
                use(ghosts[Int(place)].row, size: size, clock)
                place = ghosts[Int(place)].next
            }
            heads[id] = Self.none
        }

        /// Remembers that an object left a segment with a row.
        mutating func addGhost(_ id: ObjectID, _ row: Int32) {
            ghosts.append(Ghost(id: id, row: row, next: heads[id]))
            heads[id] = UInt32(ghosts.count - 1)
        }

        /// Forgets the segments that an object left.
        mutating func forget(_ id: ObjectID) { heads[id] = Self.none }

        /// Says that a segment with a row was merged or evicted: use counts from now on.
        mutating func restart(_ row: Int32, _ clock: SegmentClock) {
            (rows[Int(row)].since, rows[Int(row)].use) = (clock.requests, 0)
        }

        /// Trains a model with the rows, nine in ten of them; it has enough trees when the others are predicted no better by three more.
        func train(_ learner: TreeLearner) {
            let labels = rows.map(\.label)
            guard let least = labels.min(), let greatest = labels.max() else { return }
            let range = greatest > least ? greatest - least : 1
            var (batch, held) = (TrainingBatch(), TrainingBatch())
            for (number, row) in rows.enumerated() where row.features.contains(where: { $0 != 0 }) {
                let isHeld = number % 10 == 0 && held.count < Self.most / 10
                if isHeld {
                    held.add(row.features, label: (row.label - least) / range)
                } else {
                    batch.add(row.features, label: (row.label - least) / range)
                }
            }
            guard batch.count > 0 else { return }
            var (last, stable, values): (Double, Int, [Double]) = (0, 0, [])
            learner.train(batch) {
                guard held.count >= 10 else { return false }
                learner.predict(held.rows, into: &values)
                let errors = zip(values, held.labels).map { ($0 - Double($1)) * ($0 - Double($1)) }
                let error = (errors.reduce(0, +) / Double(held.count)).squareRoot()
                stable = abs(last - error) / error < 0.01 ? stable + 1 : 0
                last = error
                return stable > 2
            }
        }

        /// Begins anew with the segments as they are but for the last, or a share of them; returns objects of which nothing is known now
        /// unless they are resident.
        mutating func restart<Sizes: SizeStore & ~Copyable>(
            with segments: inout SegmentQueue<Sizes>, _ clock: SegmentClock
        ) -> [ObjectID] {
            var forgotten: [ObjectID] = []
            for ghost in ghosts where heads[ghost.id] != Self.none {
                heads[ghost.id] = Self.none
                forgotten.append(ghost.id)
            }
            ghosts.removeAll(keepingCapacity: true)
            let before = rows
            rows.removeAll(keepingCapacity: true)
            let ratio = max(1, Double(segments.count) / Double(Self.most))
            var (credit, segment) = (0.0, segments.oldest)
            while segment >= 0, segments.after(segment) >= 0 {
                credit += 1
                let earlier = segments[segment].row
                segments[segment].row = -1
                if credit >= ratio, rows.count < Self.most {
                    credit -= ratio
                    segments[segment].row = Int32(rows.count)
                    rows.append(
                        Row(
                            features: Self.features(segments[segment], at: clock.seconds), since: clock.requests,
                            skipped: earlier >= 0 ? before[Int(earlier)].skipped : 0))
                }
                segment = segments.after(segment)
            }
            // The last one has a row if those behind it were evicted.
            if segment >= 0 { segments[segment].row = -1 }
            return forgotten
        }
    }
#endif
