#if LightGBM
    internal import CacheCore

    /// The distances between the requests of each object, and counters of its requests that decay: LRB's features.
    ///
    /// Columns: 0 the age, 1 to 31 the distances between requests, the last first, 32 the size, 33 how many of these distances lie within
    /// the window, 34 to 43 the counters. Counter i halves every 2^(10+i) requests and rises by 1 at each request of the object. What an
    /// object has not is 0. 4 bytes an id, and 166 for each object that was requested twice.
    struct RequestHistories: ~Copyable {
        /// The distances that are kept for each object.
        static let distances = 31
        /// The counters of each object.
        static let counters = 10
        /// The number of columns.
        static let features = 44
        private static let (sizeColumn, withinColumn, counterColumn) = (32, 33, 34)
        private static var none: UInt32 { .max }

        private let slots: FixedBuffer<UInt32>
        private var past: [UInt32] = []
        private var counts: [Float] = []
        /// How many distances each slot has had, from 32 on between 32 and 62, so that it also says which is the oldest.
        private var lengths: [UInt8] = []
        private var free: [UInt32] = []
        private let window: UInt32
        /// Counters halve at most so many times between two requests.
        private let halvingsMax: UInt32

        /// No histories of ids below `objects`.
        init(objects: Int, window: UInt32) {
            slots = FixedBuffer(repeating: Self.none, count: objects)
            self.window = window
            halvingsMax = max(1, window >> 10) - 1
        }

        /// Adds the distance between an object's last request and the one that comes now.
        mutating func record(_ id: ObjectID, distance: UInt32) {
            if slots[id] == Self.none {
                let slot = newSlot()
                slots[id] = slot
            }
            let slot = Int(slots[id])
            let length = Int(lengths[slot])
            past[slot * Self.distances + length % Self.distances] = distance
            lengths[slot] = UInt8(length + 1 < 2 * Self.distances ? length + 1 : length + 1 - Self.distances)
            for counter in 0..<Self.counters {
                let place = slot * Self.counters + counter
                counts[place] = Float(Double(counts[place]) * decay(distance, counter) + 1)
            }
        }

        /// Forgets an object's history.
        mutating func forget(_ id: ObjectID) {
            guard slots[id] != Self.none else { return }
            free.append(slots[id])
            slots[id] = Self.none
        }

        /// Writes the features of an object so many requests after its last one.
        func writeFeatures(of id: ObjectID, age: UInt32, size: Int, into rows: inout FeatureRows) {
            rows.add(Double(age), at: 0)
            let slot = Int(slots[id])
            let hasHistory = slots[id] != Self.none
            var (sum, within): (UInt64, Int) = (0, 0)
            if hasHistory {
                let length = Int(lengths[slot])
                for number in 1...min(length, Self.distances) {
                    let distance = past[slot * Self.distances + (length - number) % Self.distances]
                    rows.add(Double(distance), at: number)
                    sum += UInt64(distance)
                    if sum < UInt64(window) { within += 1 }
                }
            }
            rows.add(Double(size), at: Self.sizeColumn)
            rows.add(Double(within), at: Self.withinColumn)
            for counter in 0..<Self.counters {
                let count = hasHistory ? Double(counts[slot * Self.counters + counter]) : 1
                rows.add(count * decay(age, counter), at: Self.counterColumn + counter)
            }
        }

        /// What is left of a counter after so many requests: whole half-lives count.
        private func decay(_ distance: UInt32, _ counter: Int) -> Double {
            let halvings = min(distance >> (10 + UInt32(counter)), halvingsMax, 1000)
            return Double(sign: .plus, exponent: -Int(halvings), significand: 1)
        }

        private mutating func newSlot() -> UInt32 {
            if let slot = free.popLast() {
                lengths[Int(slot)] = 0
                for counter in 0..<Self.counters { counts[Int(slot) * Self.counters + counter] = 1 }
                return slot
            }
            past.append(contentsOf: repeatElement(0, count: Self.distances))
            counts.append(contentsOf: repeatElement(1, count: Self.counters))
            lengths.append(0)
            return UInt32(lengths.count - 1)
        }
    }

    /// The times at which each object was drawn as a sample and of which it is not known yet what followed: 4 bytes an id, 8 a sample.
    struct SampleTimes: ~Copyable {
        private static var none: UInt32 { .max }
        private let heads: FixedBuffer<UInt32>
        private var times: [UInt32] = []
        private var nexts: [UInt32] = []
        private var free: UInt32 = none
        /// What is never requested again keeps its samples for ever.
        private var room = 1 << 26

        /// No samples of ids below `objects`.
        init(objects: Int) { heads = FixedBuffer(repeating: Self.none, count: objects) }

        /// Remembers that an object was drawn, unless 2^26 samples are waiting.
        mutating func add(_ time: UInt32, of id: ObjectID) {
            guard room > 0 else { return }
            room -= 1
            var place = free
            if place == Self.none {
                place = UInt32(times.count)
                times.append(time)
                nexts.append(heads[id])
            } else {
                free = nexts[Int(place)]
                times[Int(place)] = time
                nexts[Int(place)] = heads[id]
            }
            heads[id] = place
        }

        /// Takes the latest of an object's samples; nil if there is none left.
        mutating func take(of id: ObjectID) -> UInt32? {
            let place = heads[id]
            guard place != Self.none else { return nil }
            room += 1
            heads[id] = nexts[Int(place)]
            nexts[Int(place)] = free
            free = place
            return times[Int(place)]
        }
    }
#endif
