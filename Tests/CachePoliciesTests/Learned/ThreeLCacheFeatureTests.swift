#if LightGBM
    import CacheCore
    import CachePolicies
    import Testing

    @testable import LearnedPolicies

    /// What 3L-Cache remembers and whom it chooses, against values worked out by hand.
    @Suite("Features and candidates of 3L-Cache")
    struct ThreeLCacheFeatureTests {
        private typealias Objects = SlidingWindowObjects<UnitSizes>

        private func row(_ objects: borrowing Objects, _ id: ObjectID) -> [Double] {
            var rows = FeatureRows()
            objects.writeFeatures(of: id, at: objects.now, into: &rows)
            rows.endRow()
            return rows.row(0, features: Objects.features)
        }

        @Test func `an object has its age, its last three distances, its size and its requests`() {
            var objects = Objects(objects: 2)
            for request in 1...12 {
                objects.advance()
                if request == 1 { objects.admit(0, weight: 1) }
                if [2, 4, 7, 11].contains(request) { objects.record(0) }
            }
            // Requested at 1, 2, 4, 7 and 11; now is 12.
            #expect(row(objects, 0) == [1, 4, 3, 2, 1, 5])
            objects.demote(0)
            #expect(row(objects, 0) == [1, 4, 3, 2, 1, 5])
            objects.forget(0)
            objects.admit(0, weight: 1)
            #expect(row(objects, 0) == [0, 0, 0, 0, 1, 1])
        }

        @Test func `those that left are forgotten in that order, but not those that came back`() {
            var objects = Objects(objects: 3)
            for id in ObjectID(0)..<3 {
                objects.advance()
                objects.admit(id, weight: 1)
            }
            for id in [ObjectID(1), 0, 2] { objects.demote(id) }
            objects.admit(0, weight: 1)
            let lengths = objects.departedCount
            let popped = (0..<3).map { _ in objects.popDeparted() }
            #expect(lengths == 3 && popped == [1, nil, 2])
            let isKnown = objects.isKnown(0)
            #expect(isKnown)
        }

        @Test func `the greatest prediction that still holds comes first`() {
            var heap = PredictionHeap(objects: 5)
            for (id, value) in [(ObjectID(0), Float(3)), (1, 9), (2, 5), (3, 7), (4, 1)] { heap.add(id, value) }
            heap.add(1, 2)
            heap.remove(3)
            let count = heap.count
            let order = (0..<5).map { _ in heap.popGreatest() }
            #expect(count == 4 && order == [2, 0, 1, 4, nil])
        }

        @Test func `the scan takes seldom requested objects, the least recently requested first, and newcomers before`()
        {
            var objects = Objects(objects: 600)
            for id in ObjectID(0)..<500 {
                objects.advance()
                objects.admit(id, weight: 1)
            }
            for id in ObjectID(0)..<20 {
                objects.advance()
                objects.record(id)
            }
            var scan = BidirectionalScan(takesAll: false)
            var chosen: [ObjectID] = []
            _ = scan.choose(&chosen, of: objects)
            // 500 / 100 + 2 candidates, from the least recently requested on, which is 20.
            #expect(chosen == Array(20..<27) && scan.pointer == 27)
            for id in ObjectID(500)..<520 {
                objects.advance()
                objects.admit(id, weight: 1)
                scan.newcomers.append(id, weight: 1)
            }
            _ = scan.choose(&chosen, of: objects)
            // 2 % of 520 are 10: newcomers are taken until 10 wait, then the pointer goes on.
            #expect(chosen == Array(500..<510) + Array(27..<34))
        }

        @Test func `the window grows after a million requests that would have hit more`() {
            var length = SlidingWindowLength()
            let first = [101, 102].map { length.isOver(departed: $0, residents: 100) }
            // Half of the requests hit, and half of the others would.
            for number in 0..<1_000_001 { length.count(isResident: number % 2 == 0, isKnown: number % 4 != 1) }
            length.adapt()
            let then = [201, 202].map { length.isOver(departed: $0, residents: 100) }
            #expect(first == [false, true] && then == [false, true])
        }
    }
#endif
