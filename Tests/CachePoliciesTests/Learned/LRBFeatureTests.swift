#if LightGBM
    import CacheCore
    import CachePolicies
    import Testing

    @testable import LearnedPolicies

    /// What LRB remembers, against values worked out by hand from the paper.
    @Suite("Features and samples of LRB")
    struct LRBFeatureTests {
        private func row(_ histories: borrowing RequestHistories, age: UInt32, size: Int = 1) -> [Double] {
            var rows = FeatureRows()
            histories.writeFeatures(of: 0, age: age, size: size, into: &rows)
            rows.endRow()
            return rows.row(0, features: RequestHistories.features)
        }

        @Test func `an object that was requested once has its age, its size and whole counters`() {
            let row = self.row(RequestHistories(objects: 1, window: 1 << 20), age: 5, size: 700)
            #expect(row[0] == 5 && row[32] == 700 && row[33] == 0)
            #expect(row[1...31].allSatisfy { $0 == 0 } && row[34...43].allSatisfy { $0 == 1 })
        }

        @Test func `distances come latest first, and counters halve with their half-lives`() {
            var histories = RequestHistories(objects: 1, window: 1 << 20)
            histories.record(0, distance: 1024)
            histories.record(0, distance: 3000)
            let row = self.row(histories, age: 2048)
            #expect(Array(row[0...3]) == [2048, 3000, 1024, 0] && row[33] == 2)
            // Half-life 1024: 1 → 1/2 + 1 → 1.5/4, since 3000 is two half-lives and a part, + 1 → 1.375/4.
            #expect(row[34] == 1.375 / 4)
            // Half-life 2048: 1 → 1 + 1 → 2/2 + 1 → 2/2.
            #expect(row[35] == 1)
            // Half-life 4096: 1 → 2 → 3 → 3.
            #expect(row[36] == 3 && row[43] == 3)
        }

        @Test func `the last 31 distances are kept, and those within the window are counted`() {
            var histories = RequestHistories(objects: 1, window: 100)
            for distance in 1...100 { histories.record(0, distance: UInt32(distance)) }
            let row = self.row(histories, age: 1)
            #expect(row[1...31].elementsEqual(stride(from: 100.0, to: 69, by: -1)))
            // 100 is not less than the window.
            #expect(row[33] == 0)
            histories.forget(0)
            histories.record(0, distance: 40)
            histories.record(0, distance: 50)
            let again = self.row(histories, age: 1)
            #expect(Array(again[1...3]) == [50, 40, 0] && again[33] == 2)
        }

        @Test func `an object outside is forgotten a window after its last request, a resident is not`() {
            var objects = WindowedObjects<UnitSizes>(objects: 4, window: 3)
            var forgotten: [[ObjectID]] = []
            func advance() {
                objects.advance()
                forgotten.append([])
                while let id = objects.nextExpired() {
                    objects.forget(id)
                    forgotten[forgotten.count - 1].append(id)
                }
            }
            for id in ObjectID(0)..<3 {
                advance()
                objects.admit(id, weight: 1)
            }
            // Object 0 was requested at 1, and leaves at 4; object 1, a resident, is too old at 5, and requested then.
            objects.demote(0)
            advance()
            advance()
            objects.record(1)
            objects.demote(2)
            advance()
            #expect(forgotten == [[], [], [], [0], [], [2]])
            let (count, knows) = (objects.count, (0..<4).map { objects.isKnown($0) })
            #expect(count == 1 && knows == [false, true, false, false])
        }

        @Test func `each sample of an object is taken once`() {
            var samples = SampleTimes(objects: 2)
            for time in UInt32(1)...3 { samples.add(time, of: 1) }
            samples.add(9, of: 0)
            let first = (0..<4).map { _ in samples.take(of: 1) }
            samples.add(4, of: 1)
            let rest = [samples.take(of: 0), samples.take(of: 1), samples.take(of: 1)]
            #expect(first == [3, 2, 1, nil] && rest == [9, 4, nil])
        }
    }
#endif
