#if LightGBM
    internal import CacheCore

    /// The objects that 3L-Cache remembers: residents, and those that left last, in the order in which they left.
    ///
    /// Columns of features: 0 the age, 1 to 3 the distances between the last requests, the latest first, 4 the size, 5 the number of requests.
    /// All operations are O(1). 35 bytes an id, 43 where sizes are kept, and 4 for each of those that left.
    struct SlidingWindowObjects<Sizes: SizeStore & ~Copyable>: ~Copyable {
        /// The number of columns.
        static var features: Int { 6 }
        private static var distances: Int { 3 }
        private static var resident: UInt8 { 0 }
        private static var outside: UInt8 { 1 }

        /// Residents, the least recently requested at the back, and in a list of their own the others that are known.
        private var lists: ObjectLists<Sizes>
        private let lastRequests: FixedBuffer<UInt32>
        private let counts: FixedBuffer<UInt16>
        private let past: FixedBuffer<UInt32>
        /// When an object was drawn as a sample since its last request; 0 if it was not.
        private let samples: FixedBuffer<UInt32>
        /// Where a resident lies among `members`, and where another one lies in the queue of those that left.
        private let places: FixedBuffer<UInt32>
        /// The residents in no order.
        private(set) var members: [ObjectID] = []
        /// Those that left, the first in front. An object that came back stays in its place, where it counts for nothing but the length.
        private var departed: [ObjectID] = []
        /// How many of `departed` are over, and how many were dropped before them.
        private var (over, dropped) = (0, 0)
        /// The number of the request, from 1.
        private(set) var now: UInt32 = 0

        /// Nothing known yet of ids below `objects`.
        init(objects: Int) {
            lists = ObjectLists(objects: objects, lists: 2)
            lastRequests = FixedBuffer(repeating: 0, count: objects)
            counts = FixedBuffer(repeating: 0, count: objects)
            past = FixedBuffer(repeating: 0, count: objects * Self.distances)
            samples = FixedBuffer(repeating: 0, count: objects)
            places = FixedBuffer(repeating: 0, count: objects)
        }

        /// The number of residents.
        var count: Int { lists.count(in: Self.resident) }
        /// The total weight of the residents.
        var weight: Int { lists.weight(in: Self.resident) }
        /// The places in the queue of those that left.
        var departedCount: Int { departed.count - over }
        /// Whether an object is resident.
        func isResident(_ id: ObjectID) -> Bool { lists.contains(id, in: Self.resident) }
        /// Whether an object is known.
        func isKnown(_ id: ObjectID) -> Bool { lists.contains(id) }
        /// The weight that an object had when it entered last.
        func weight(of id: ObjectID) -> Int { lists.weight(of: id) }
        /// The number of an object's requests, at most 65,535.
        func requests(of id: ObjectID) -> Int { Int(counts[id]) }
        /// The request at which an object was requested last.
        func lastRequest(of id: ObjectID) -> UInt32 { lastRequests[id] }
        /// The least recently requested resident.
        var oldest: ObjectID? { lists.back(of: Self.resident) }
        /// The resident that was requested next after one; after the last the least recently requested.
        func next(after id: ObjectID) -> ObjectID? { lists.ahead(of: id) ?? oldest }

        /// Goes on to the next request.
        mutating func advance() { now &+= 1 }

        /// Counts a request of a known object.
        mutating func record(_ id: ObjectID) {
            let past = past.base + Int(id) * Self.distances
            for place in (1..<Self.distances).reversed() { past[place] = past[place - 1] }
            past[0] = now &- lastRequests[id]
            lastRequests[id] = now
            if counts[id] < .max { counts[id] += 1 }
            if isResident(id) { lists.moveToFront(id, of: Self.resident) }
        }

        /// Makes an object resident that is requested now and is not; one that is not known becomes so.
        mutating func admit(_ id: ObjectID, weight: Int) {
            if isKnown(id) {
                lists.remove(id)
            } else {
                (past.base + Int(id) * Self.distances).update(repeating: 0, count: Self.distances)
                (lastRequests[id], counts[id], samples[id]) = (now, 1, 0)
            }
            places[id] = UInt32(members.count)
            members.append(id)
            lists.addToFront(id, weight: weight, of: Self.resident)
        }

        /// Takes a resident out of the cache, and remembers it.
        mutating func demote(_ id: ObjectID) {
            leaveMembers(id)
            lists.moveToFront(id, of: Self.outside)
            places[id] = UInt32(truncatingIfNeeded: dropped + departed.count)
            departed.append(id)
        }

        /// Forgets all about an object; does nothing for one that is not known.
        mutating func forget(_ id: ObjectID) {
            if isResident(id) { leaveMembers(id) }
            lists.remove(id)
        }

        /// Takes the first place out of the queue of those that left; the object there, or nil if it came back or was forgotten.
        mutating func popDeparted() -> ObjectID? {
            let id = departure(at: over)
            over += 1
            if over > 1024, over * 2 > departed.count {
                departed.removeFirst(over)
                (over, dropped) = (0, dropped + over)
            }
            return id
        }

        /// Draws an object of all that are resident or have a place in the queue, and notes now as its sample unless it has one.
        mutating func sample(_ generator: inout SeededGenerator) {
            let number = generator.next(below: members.count + departedCount)
            let id = number < members.count ? members[number] : departure(at: over + number - members.count)
            if let id, samples[id] == 0 { samples[id] = now }
        }

        /// Takes the time at which an object was drawn since its last request; nil if it was not.
        mutating func takeSample(of id: ObjectID) -> UInt32? {
            defer { samples[id] = 0 }
            return samples[id] == 0 ? nil : samples[id]
        }

        /// Writes the features that a known object has at a time since its last request.
        func writeFeatures(of id: ObjectID, at time: UInt32, into rows: inout FeatureRows) {
            rows.add(Double(time &- lastRequests[id]), at: 0)
            for number in 0..<Self.distances {
                rows.add(Double(past.base[Int(id) * Self.distances + number]), at: number + 1)
            }
            rows.add(Double(lists.weight(of: id)), at: 4)
            rows.add(Double(counts[id]), at: 5)
        }

        private func departure(at index: Int) -> ObjectID? {
            let id = departed[index]
            let isThere =
                lists.contains(id, in: Self.outside) && places[id] == UInt32(truncatingIfNeeded: dropped + index)
            return isThere ? id : nil
        }

        private mutating func leaveMembers(_ id: ObjectID) {
            let place = Int(places[id])
            members.swapAt(place, members.count - 1)
            places[members[place]] = UInt32(place)
            members.removeLast()
        }
    }
#endif
