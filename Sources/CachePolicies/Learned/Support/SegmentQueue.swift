#if LightGBM
    internal import CacheCore

    /// The time and the load that GL-Cache's features are made of.
    struct SegmentClock {
        /// Requests so far.
        private(set) var requests: UInt32 = 0
        /// Seconds since the first request; requests, where none has a time.
        private(set) var seconds = 0.0
        /// Requests a second, and misses over requests, of the last period of more than 10 s and 10,000 requests.
        private(set) var (requestRate, missRatio) = (1.0, 0.5)
        private let isTimed: Bool
        private var start: Double?
        private var (misses, since, sinceSeconds): (Int, UInt32, Double) = (0, 0, 0)

        /// A clock before the first request. It reads the times of requests, or counts them.
        init(isTimed: Bool) { self.isTimed = isTimed }

        /// Goes on to a request.
        mutating func advance(_ request: Request, isHit: Bool) {
            let time = isTimed ? Double(request.timeNanoseconds) / 1e9 : Double(requests)
            let first = start ?? time
            start = first
            seconds = max(seconds, time - first)
            requests &+= 1
            if !isHit { misses += 1 }
            let (elapsed, count) = (seconds - sinceSeconds, requests &- since)
            guard elapsed > 10, count > 10_000 else { return }
            (requestRate, missRatio) = (Double(count) / elapsed, Double(misses) / Double(count))
            (misses, since, sinceSeconds) = (0, requests, seconds)
        }
    }

    /// Some objects that entered one after another, or that a merger kept.
    struct ObjectSegment {
        /// The objects.
        var ids: [ObjectID] = []
        /// The weight of the objects.
        var weight = 0
        /// Requests of the objects since they are here, and the objects that had one.
        var (hits, active) = (0, 0)
        /// When it was made, in seconds, and the load when it was full.
        var (created, requestRate, missRatio): (Double, Double, Double)
        /// Its row in the training; -1 for none.
        var row: Int32 = -1
        /// What was predicted of its use last.
        var use = Double.infinity
        /// Its place in the ranking; -1 for none.
        var rank: Int32 = -1
        fileprivate var (before, after): (Int32, Int32) = (-1, -1)

        /// An empty segment.
        init(created: Double = 0, requestRate: Double = 0, missRatio: Double = 0) {
            (self.created, self.requestRate, self.missRatio) = (created, requestRate, missRatio)
        }
    }

    /// The residents of GL-Cache in segments, the oldest first; the last one is being filled.
    ///
    /// 10 bytes an id, 18 where sizes are kept. All operations but ``remove(_:)``, which looks through a segment, are O(1) an object.
    struct SegmentQueue<Sizes: SizeStore & ~Copyable>: ~Copyable {
        private static var none: UInt32 { .max }

        private var segments: [ObjectSegment] = []
        private var free: [Int32] = []
        private let homes: FixedBuffer<UInt32>
        private let lastRequests: FixedBuffer<UInt32>
        /// Whether an object was requested since it is in its segment, and since that has a row.
        private let active: FixedBuffer<Bool>
        private let seen: FixedBuffer<Bool>
        private let sizes: Sizes
        private let size: Int
        /// The oldest segment and the one that is being filled; -1 for none.
        private(set) var (oldest, newest): (Int32, Int32) = (-1, -1)
        /// The number of segments.
        private(set) var count = 0
        private(set) var (residentCount, residentWeight) = (0, 0)
        private var scores: [Double] = []

        /// No segments yet, of `size` objects each, for ids below `objects`.
        init(objects: Int, size: Int) {
            homes = FixedBuffer(repeating: Self.none, count: objects)
            lastRequests = FixedBuffer(repeating: 0, count: objects)
            active = FixedBuffer(repeating: false, count: objects)
            seen = FixedBuffer(repeating: false, count: objects)
            sizes = Sizes(slots: objects)
            self.size = size
        }

        /// A segment by its number.
        subscript(segment: Int32) -> ObjectSegment {
            _read { yield segments[Int(segment)] }
            _modify { yield &segments[Int(segment)] }
        }

        /// Whether an object is resident.
        func contains(_ id: ObjectID) -> Bool { homes[id] != Self.none }
        /// The segment of a resident.
        func segment(of id: ObjectID) -> Int32 { Int32(truncatingIfNeeded: homes[id]) }
        /// The weight of a resident.
        func weight(of id: ObjectID) -> Int { sizes.weight(at: id) }
        /// Whether a resident was requested since its segment has a row.
        func isSeen(_ id: ObjectID) -> Bool { seen[id] }
        /// The segment after one; -1 for none.
        func after(_ segment: Int32) -> Int32 { self[segment].after }

        /// The segments from one on, as many as are given; nil where the last of all would be among them, which is still being filled.
        func consecutive(_ count: Int, from first: Int32) -> [Int32]? {
            var (found, segment): ([Int32], Int32) = ([], first)
            while segment >= 0, after(segment) >= 0, found.count < count {
                found.append(segment)
                segment = after(segment)
            }
            return found.count == count ? found : nil
        }

        /// Adds an object to the segment that is being filled, or to a new one.
        mutating func append(_ id: ObjectID, weight: Int, _ clock: SegmentClock) {
            if newest < 0 || self[newest].ids.count >= size {
                if newest >= 0 {
                    (self[newest].requestRate, self[newest].missRatio) = (clock.requestRate, clock.missRatio)
                }
                _ = insert(ObjectSegment(created: clock.seconds), before: -1)
            }
            sizes.setWeight(weight, at: id)
            lastRequests[id] = clock.requests
            place(id, in: newest)
            residentCount += 1
            residentWeight += weight
        }

        /// Counts a request of a resident.
        mutating func record(_ id: ObjectID, _ clock: SegmentClock) {
            let segment = segment(of: id)
            self[segment].hits += 1
            if !active[id] { self[segment].active += 1 }
            active[id] = true
            lastRequests[id] = clock.requests
            if self[segment].row >= 0 { seen[id] = true }
        }

        /// Takes a resident out; does nothing for any other object.
        mutating func remove(_ id: ObjectID) {
            guard contains(id) else { return }
            let segment = segment(of: id)
            if let index = self[segment].ids.firstIndex(of: id) { self[segment].ids.remove(at: index) }
            self[segment].weight -= weight(of: id)
            drop(id)
        }

        /// Takes a resident out of a segment that is being dissolved.
        mutating func drop(_ id: ObjectID) {
            homes[id] = Self.none
            residentCount -= 1
            residentWeight -= weight(of: id)
        }

        /// A new segment in the place of some, which will get what they keep.
        mutating func insertMerged(_ chosen: [Int32], _ clock: SegmentClock) -> Int32 {
            let share = 1 / Double(chosen.count)
            return insert(
                ObjectSegment(
                    created: clock.seconds, requestRate: chosen.reduce(0) { $0 + self[$1].requestRate } * share,
                    missRatio: chosen.reduce(0) { $0 + self[$1].missRatio } * share), before: chosen[0])
        }

        /// Moves a resident from a segment that is being dissolved to another one.
        mutating func move(_ id: ObjectID, to segment: Int32) { place(id, in: segment) }

        /// The score of the last object that segments keep, if of all objects as many are kept as one of the segments has.
        mutating func cutoff(_ chosen: [Int32], _ clock: SegmentClock) -> (score: Double, kept: Int) {
            scores.removeAll(keepingCapacity: true)
            for segment in chosen { for id in self[segment].ids { scores.append(score(of: id, clock)) } }
            let kept = scores.count / chosen.count
            scores.sort()
            return (kept == 0 ? .infinity : scores[scores.count - kept], kept)
        }

        /// How much an object is worth: 10^8 over its size and the requests since its last one.
        func score(of id: ObjectID, _ clock: SegmentClock) -> Double {
            1e8 / Double(max(1, weight(of: id))) / Double(max(1, clock.requests &- lastRequests[id]))
        }

        /// Takes a segment out of the queue, and returns what was in it.
        mutating func release(_ segment: Int32) {
            let (before, after) = (self[segment].before, self[segment].after)
            if before >= 0 { self[before].after = after } else { oldest = after }
            if after >= 0 { self[after].before = before } else { newest = before }
            self[segment] = ObjectSegment()
            free.append(segment)
            count -= 1
        }

        private mutating func place(_ id: ObjectID, in segment: Int32) {
            (active[id], seen[id]) = (false, false)
            homes[id] = UInt32(segment)
            self[segment].ids.append(id)
            self[segment].weight += weight(of: id)
        }

        /// Puts a segment before another one, or at the end.
        private mutating func insert(_ new: ObjectSegment, before other: Int32) -> Int32 {
            let number = free.popLast() ?? Int32(segments.count)
            if Int(number) == segments.count { segments.append(new) } else { self[number] = new }
            let before = other >= 0 ? self[other].before : newest
            (self[number].before, self[number].after) = (before, other)
            if before >= 0 { self[before].after = number } else { oldest = number }
            if other >= 0 { self[other].before = number } else { newest = number }
            count += 1
            return number
        }
    }
#endif
