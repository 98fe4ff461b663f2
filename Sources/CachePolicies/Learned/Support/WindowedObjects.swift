#if LightGBM
    internal import CacheCore

    /// The objects that LRB remembers: residents, and others for a window after their last request.
    ///
    /// All operations are O(1) but ``appendResidents(to:)``. 34 bytes an id, 42 where sizes are kept.
    struct WindowedObjects<Sizes: SizeStore & ~Copyable>: ~Copyable {
        /// The residents, the least recently requested at the back. The weights of others are kept too.
        var residents: ObjectLists<Sizes>
        /// All that are known, the least recently requested at the back.
        private var known: ObjectLists<UnitSizes>
        private let lastRequests: FixedBuffer<UInt32>
        /// The place of each known object among ``members``.
        private let places: FixedBuffer<UInt32>
        /// The known objects in no order, but all residents before all others.
        private var members: [ObjectID] = []
        private var histories: RequestHistories
        private var samples: SampleTimes
        /// The oldest known object that was requested less than a window ago; what is older is resident.
        private var youngest: ObjectID?
        private let window: UInt32
        /// The number of the request, from 1.
        private(set) var now: UInt32 = 0

        /// Nothing known yet of ids below `objects`.
        init(objects: Int, window: UInt32) {
            residents = ObjectLists(objects: objects)
            known = ObjectLists(objects: objects)
            lastRequests = FixedBuffer(repeating: 0, count: objects)
            places = FixedBuffer(repeating: 0, count: objects)
            histories = RequestHistories(objects: objects, window: window)
            samples = SampleTimes(objects: objects)
            self.window = window
        }

        /// The number of known objects.
        var count: Int { members.count }
        /// Whether an object is known.
        func isKnown(_ id: ObjectID) -> Bool { known.contains(id) }
        /// The requests since an object's last one.
        func age(of id: ObjectID) -> UInt32 { now &- lastRequests[id] }
        /// A known object by its number.
        func member(_ number: Int) -> ObjectID { members[number] }
        /// Appends all residents.
        func appendResidents(to ids: inout [ObjectID]) { ids += members[..<residents.count()] }

        /// Goes on to the next request.
        mutating func advance() { now &+= 1 }

        /// An object outside of the cache whose last request is a window ago; nil if there is none. It must be forgotten at once.
        mutating func nextExpired() -> ObjectID? {
            while let id = youngest, age(of: id) >= window {
                youngest = known.ahead(of: id)
                if !residents.contains(id) { return id }
            }
            return nil
        }

        /// Counts a request of a known object.
        mutating func record(_ id: ObjectID) {
            histories.record(id, distance: age(of: id))
            lastRequests[id] = now
            if youngest == id { youngest = known.ahead(of: id) }
            known.moveToFront(id)
            youngest = youngest ?? id
        }

        /// Makes an object resident that is requested now; one that is not known becomes so.
        mutating func admit(_ id: ObjectID, weight: Int) {
            if !known.contains(id) {
                known.addToFront(id, weight: 1)
                youngest = youngest ?? id
                lastRequests[id] = now
                places[id] = UInt32(members.count)
                members.append(id)
            }
            exchange(places[id], UInt32(residents.count()))
            residents.addToFront(id, weight: weight)
        }

        /// Takes a resident out of the cache, and remembers it.
        mutating func demote(_ id: ObjectID) {
            residents.remove(id)
            exchange(places[id], UInt32(residents.count()))
        }

        /// Forgets all about an object; does nothing for one that is not known.
        mutating func forget(_ id: ObjectID) {
            guard known.contains(id) else { return }
            if residents.contains(id) { demote(id) }
            if youngest == id { youngest = known.ahead(of: id) }
            known.remove(id)
            exchange(places[id], UInt32(members.count - 1))
            members.removeLast()
            histories.forget(id)
            while samples.take(of: id) != nil {}
        }

        /// Remembers that a known object is a sample of now.
        mutating func sample(_ id: ObjectID) { samples.add(now, of: id) }
        /// Takes the time of one of an object's samples; nil if there is none left.
        mutating func takeSample(of id: ObjectID) -> UInt32? { samples.take(of: id) }

        /// Writes the features that a known object has at a time since its last request.
        func writeFeatures(of id: ObjectID, at time: UInt32, into rows: inout FeatureRows) {
            histories.writeFeatures(
                of: id, age: time &- lastRequests[id], size: residents.weight(of: id), into: &rows)
        }

        private mutating func exchange(_ first: UInt32, _ second: UInt32) {
            members.swapAt(Int(first), Int(second))
            places[members[Int(first)]] = first
            places[members[Int(second)]] = second
        }
    }
#endif
