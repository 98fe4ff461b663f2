import CacheCore
import CacheGate
import Foundation
import Testing

@Suite("A figure of recorded results")
struct ResultFigureTests {
    @Test func `a figure is the same after it was written as JSON`() throws {
        let figure = ResultFigure(
            subject: "lru", place: ["trace": "zipf-1.0"], name: "hits", value: .count(3), kind: .exact, better: .more)
        let data = try JSONEncoder().encode([figure])
        #expect(try JSONDecoder().decode([ResultFigure].self, from: data) == [figure])
    }
}
