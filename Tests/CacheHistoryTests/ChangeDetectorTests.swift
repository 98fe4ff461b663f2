import CacheCore
import Foundation
import Testing

@testable import CacheHistory

@Suite("Changes of the level of noisy series")
struct ChangeDetectorTests {
    /// Noise with heavy tails: most values near 100, one in twenty far above, as times on a shared machine.
    private static func noise(_ count: Int, seed: UInt64) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let bell = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
            let isOutlier = Double.random(in: 0..<1, using: &generator) < 0.05
            return 100 + bell + (isOutlier ? Double.random(in: 10..<200, using: &generator) : 0)
        }
    }

    @Test func `a step of three standard deviations is found at its commit or next to it`() {
        var found = 0
        for seed in UInt64(1)...60 {
            var values = Self.noise(40, seed: seed)
            let step = 12 + Int(seed % 17)
            for index in step..<40 { values[index] += 3 }
            if ChangeDetector().changes(in: values).contains(where: { abs($0.index - step) <= 1 }) { found += 1 }
        }
        #expect(found >= 50, "\(found) of 60")
    }

    @Test func `a large step is found at its commit exactly, wherever it is`() {
        for step in 5...35 {
            var values = Self.noise(40, seed: UInt64(step))
            for index in step..<40 { values[index] += 1000 }
            #expect(ChangeDetector().changes(in: values).map(\.index).contains(step))
        }
    }

    @Test func `a rise and the fall after it are two changes`() throws {
        var values = Self.noise(60, seed: 3)
        for index in 20..<42 { values[index] += 1000 }
        let changes = ChangeDetector().changes(in: values)
        #expect(changes.map(\.index) == [20, 42])
        #expect(changes.allSatisfy { $0.chance <= ChangeDetector.significance && $0.chance >= 0.001 })
    }

    @Test func `of 300 series of noise few have a change`() {
        let alarms = (UInt64(1)...300).count { !ChangeDetector().changes(in: Self.noise(30, seed: $0 &* 7919)).isEmpty }
        // One in a hundred is expected: 3. Ten or more have a probability of 1 in 1000 if the level holds.
        #expect(alarms < 10, "\(alarms) of 300")
    }

    @Test func `the same series has the same changes, and one without variation has none`() {
        let values = Self.noise(30, seed: 5).enumerated().map { $0 < 15 ? $1 : $1 + 3 }
        #expect(ChangeDetector().changes(in: values) == ChangeDetector().changes(in: values))
        #expect(ChangeDetector().changes(in: Array(repeating: 201.4, count: 500)) == [])
        #expect(ChangeDetector().changes(in: []) == [])
    }

    @Test func `a level that moves between two constants is found, and fewer than ten values say nothing`() {
        let values = [Double](repeating: 201.4, count: 6) + [Double](repeating: 210, count: 6)
        #expect(ChangeDetector().changes(in: values).map(\.index) == [6])
        #expect(ChangeDetector().changes(in: Array(values[2..<10])) == [])
    }
}
