import Testing

@testable import CacheConformance

@Suite("Operations beside writes")
struct HistoryOverlapsTests {
    private func operation(
        _ kind: HistoryOperation.Kind, _ client: Int32, _ times: ClosedRange<Int64>, key: Int32 = 0
    ) -> HistoryOperation {
        HistoryOperation(
            kind, client: client, key: key, argument: client + 1, callTime: times.lowerBound,
            returnTime: times.upperBound)
    }

    @Test func `an operation counts once for all writes that it overlaps, and a write as well`() {
        let put = operation(.put, 0, 0...10)
        #expect(History([put, operation(.get, 1, 5...15)]).overlaps == 1)
        #expect(History([put, operation(.remove, 1, 5...15)]).overlaps == 2)
        #expect(History([operation(.get, 2, 1...20), put, operation(.put, 0, 11...12)]).overlaps == 1)
    }

    @Test func `reads beside reads, other keys, and what comes later do not count`() {
        let put = operation(.put, 0, 0...10)
        #expect(History([operation(.get, 0, 0...10), operation(.contains, 1, 5...15)]).overlaps == 0)
        #expect(History([put, operation(.put, 1, 5...15, key: 1)]).overlaps == 0)
        #expect(History([put, operation(.get, 1, 10...15), operation(.put, 1, 16...17)]).overlaps == 0)
        #expect(History([put, operation(.put, 0, 3...4)]).overlaps == 0)
    }
}
