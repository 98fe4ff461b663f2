#if LightGBM
    internal import CacheCore

    /// Objects by what was predicted of each last, the greatest first. Predictions that were replaced or withdrawn are dropped when they come up.
    ///
    /// 4 bytes an id, 8 a prediction. Additions and removals are O(log n), a withdrawal O(1).
    struct PredictionHeap: ~Copyable {
        private let current: FixedBuffer<Float>
        private var entries: [(value: Float, id: ObjectID)] = []
        /// The number of objects of which something is predicted.
        private(set) var count = 0

        /// Nothing predicted of ids below `objects`.
        init(objects: Int) { current = FixedBuffer(repeating: .nan, count: objects) }

        /// Predicts a value of an object, in place of an earlier one.
        mutating func add(_ id: ObjectID, _ value: Float) {
            if current[id].isNaN { count += 1 }
            current[id] = value
            entries.append((value, id))
            var child = entries.count - 1
            while child > 0, entries[(child - 1) / 2].value < entries[child].value {
                entries.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }

        /// Withdraws what is predicted of an object.
        mutating func remove(_ id: ObjectID) {
            if !current[id].isNaN { count -= 1 }
            current[id] = .nan
        }

        /// Withdraws everything.
        mutating func removeAll() {
            for entry in entries { current[entry.id] = .nan }
            entries.removeAll(keepingCapacity: true)
            count = 0
        }

        /// Takes the object with the greatest prediction out; nil if there is none.
        mutating func popGreatest() -> ObjectID? {
            while let top = entries.first {
                entries.swapAt(0, entries.count - 1)
                entries.removeLast()
                sink()
                guard current[top.id] == top.value else { continue }
                remove(top.id)
                return top.id
            }
            return nil
        }

        private mutating func sink() {
            var parent = 0
            while true {
                var greatest = parent
                for child in 2 * parent + 1..<max(2 * parent + 1, min(2 * parent + 3, entries.count))
                where entries[child].value > entries[greatest].value { greatest = child }
                if greatest == parent { return }
                entries.swapAt(parent, greatest)
                parent = greatest
            }
        }
    }
#endif
