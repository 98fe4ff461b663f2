#if LightGBM
    internal import CacheCore

    /// Chooses of which residents 3L-Cache predicts: of new ones, and of those on whom a pointer comes that goes from the least to the most
    /// recently requested.
    struct BidirectionalScan {
        /// The most candidates of one call that the pointer chooses.
        private static let most = 1024
        /// The candidates for each that leaves.
        private static let perEviction = 2

        /// Where the pointer is; nil before the first call and when nothing is resident.
        var pointer: ObjectID?
        /// Objects that entered and were not chosen yet.
        var newcomers = Newcomers()
        /// Whether the pointer's passes are all alike, for the object miss ratio.
        private let takesAll: Bool
        /// The residents when the pass began, and how many of them the pointer has passed.
        private var (length, passed) = (0, 0)
        /// Objects with fewer requests, after the first, are chosen wherever they are.
        private var seldom: Int
        /// In the first so many hundredths of the queue all are chosen.
        private var share = 1
        /// Newcomers are chosen from so many hundredths of the weight on.
        private var reserve = 2
        /// In this pass, how many of those leave that the pointer had passed, and how many it chose: at the queue's beginning, and since.
        private var (first, since) = (Yield(), Yield())
        /// The evicted by the logarithm of their requests.
        private var evictedByRequests = [Int](repeating: 0, count: 16)
        /// The last request of the candidate at which the pointer was last.
        private var lastPassed: UInt32 = 0

        private struct Yield {
            var (evicted, chosen) = (0, 0)
        }

        /// A scan that takes all residents wherever they are, or those that were requested seldom.
        init(takesAll: Bool) {
            self.takesAll = takesAll
            seldom = takesAll ? 1 << 16 : 1
        }

        /// Replaces `candidates`, and returns whether the pointer began a new pass, after which earlier predictions are too old.
        mutating func choose<Sizes: SizeStore & ~Copyable>(
            _ candidates: inout [ObjectID], of objects: borrowing SlidingWindowObjects<Sizes>
        ) -> Bool {
            candidates.removeAll(keepingCapacity: true)
            if length == 0 { length = objects.count }
            var wanted = Self.wanted(length)
            newcomers.choose(
                &candidates, above: objects.weight * reserve / 100, atMost: (wanted * 3 + 1) / 2, of: objects)
            guard newcomers.weight < objects.weight * reserve / 10 || candidates.isEmpty else { return false }
            var (chosen, isNewPass) = (0, false)
            while chosen < wanted, candidates.count < length, let id = pointer == nil ? objects.oldest : pointer {
                if first.chosen == 0, passed > length * share / 100 { (first, since) = (since, Yield()) }
                if objects.requests(of: id) - 1 < seldom || passed <= length * share / 100 + Self.perEviction {
                    candidates.append(id)
                    chosen += 1
                }
                passed += 1
                pointer = objects.next(after: id)
                guard passed >= length else { continue }
                beginPass(residents: objects.count)
                (wanted, chosen, isNewPass, pointer) = (Self.wanted(length), 0, true, objects.oldest)
            }
            if let last = candidates.last { lastPassed = objects.lastRequest(of: last) }
            since.chosen += wanted
            return isNewPass
        }

        /// Takes note of a victim that was predicted.
        mutating func noteEviction(requests: Int, lastRequest: UInt32) {
            evictedByRequests[min(15, max(1, requests).bitWidth - 1 - max(1, requests).leadingZeroBitCount)] += 1
            if lastRequest <= lastPassed { since.evicted += 1 }
        }

        private static func wanted(_ length: Int) -> Int { length > 2 ? min(most, length / 100 + perEviction) : 2 }

        private mutating func beginPass(residents: Int) {
            (length, passed) = (residents, 0)
            guard !takesAll else { return }
            seldom = boundary()
            share = first.evicted * since.chosen > since.evicted * first.chosen ? share + 1 : max(1, share - 1)
            reserve = first.evicted + since.evicted > newcomers.count ? reserve + 1 : max(1, reserve / 2)
            (first, since) = (Yield(), Yield())
            evictedByRequests = [Int](repeating: 0, count: 16)
        }

        /// The number of requests that 99 % of the evicted did not exceed, interpolated between powers of two.
        private func boundary() -> Int {
            let most = 0.99 * Double(evictedByRequests.reduce(0, +))
            var sum = 0.0
            for (power, count) in evictedByRequests.enumerated() {
                sum += Double(count)
                guard sum >= most else { continue }
                if power == 0 { return 1 }
                let half = Double(1 << (power - 1))
                return Int(half + (half * (most + Double(count) - sum) / Double(count)).rounded(.up))
            }
            return seldom
        }
    }

    /// Objects that entered, in that order, until a prediction is made of each.
    struct Newcomers {
        private var ids: [ObjectID] = []
        private var taken = 0
        /// The weight of those that wait, as far as it is known.
        private(set) var weight = 0

        /// How many wait.
        var count: Int { ids.count - taken }

        /// Adds an object that has entered.
        mutating func append(_ id: ObjectID, weight: Int) {
            ids.append(id)
            self.weight += weight
        }

        /// Takes from the front while more weight than `limit` waits, and adds residents to `candidates`, at most `most`.
        mutating func choose<Sizes: SizeStore & ~Copyable>(
            _ candidates: inout [ObjectID], above limit: Int, atMost most: Int,
            of objects: borrowing SlidingWindowObjects<Sizes>
        ) {
            while weight > limit, candidates.count < most, count > 0 {
                let id = ids[taken]
                taken += 1
                if objects.isKnown(id) { weight -= objects.weight(of: id) }
                if objects.isResident(id) { candidates.append(id) }
            }
            if taken * 2 > ids.count {
                ids.removeFirst(taken)
                taken = 0
            }
            if ids.isEmpty { weight = 0 }
        }
    }

    /// How many objects 3L-Cache remembers that left: as many as residents, and more while requests of them are frequent.
    struct SlidingWindowLength {
        /// The queue of those that left holds `times` − 1 times as many objects as there are residents.
        private var times = 2
        private var isFull = false
        private var (requests, hits, windowHits) = (0, 0, 0)

        /// Counts a request once the queue has been full.
        mutating func count(isResident: Bool, isKnown: Bool) {
            guard isFull else { return }
            requests += 1
            if isResident { hits += 1 }
            if isKnown { windowHits += 1 }
        }

        /// Whether the first of the queue must be forgotten.
        mutating func isOver(departed: Int, residents: Int) -> Bool {
            guard departed >= residents * (times - 1) + 2 else { return false }
            isFull = true
            return true
        }

        /// Makes the queue longer, up to five times the residents, where after a million requests of it more than a hundredth of the hits would
        /// be gained for each length.
        mutating func adapt() {
            guard requests > 1_000_000, isFull else { return }
            let gained = windowHits - hits
            if Double(gained) / Double(hits * (times - 1)) > 0.01, gained > 0, times - 1 < (requests - hits) / gained {
                (times, isFull) = (min(6, times + 1), false)
            }
            (requests, hits, windowHits) = (0, 0, 0)
        }
    }
#endif
