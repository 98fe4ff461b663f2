import Testing

@testable import SketchPolicies

/// Each climber on hit ratios worked by hand. Capacity 1000 unless said otherwise.
@Suite("Climbers")
struct ClimberTests {
    /// The steps that a climber takes when the hit ratio of each period is given and every step is taken in full.
    private func steps(_ kind: ClimberKind, _ ratios: [Double], capacity: Int = 1000, from window: Double = 500)
        -> [Double]
    {
        var climber = kind.makeClimber(ClimberSettings(capacity: capacity, pivot: 0, sample: 0, seed: 1))
        var sample = ClimbSample(hitRatio: 0, previousHitRatio: 0, window: window, previousWindow: 0, isFirst: true)
        return ratios.map { ratio in
            sample.hitRatio = ratio
            let step = climber.step(after: sample)
            sample = ClimbSample(
                hitRatio: 0, previousHitRatio: ratio, window: sample.window + step, previousWindow: sample.window,
                isFirst: false)
            return step
        }
    }

    private func expect(_ found: [Double], _ expected: [Double]) {
        #expect(found.count == expected.count)
        for (one, other) in zip(found, expected) { #expect(abs(one - other) < 1e-9, "\(found)") }
    }

    /// A large cache shrinks first, goes on while it gains, turns round when it loses, and starts again at 62.5 when
    /// the hit ratio jumps by 0.05.
    @Test func `simple turns round on a loss`() {
        expect(
            steps(.simple, [0.5, 0.51, 0.50, 0.51, 0.57]),
            [-62.5, -62.5 * 0.98, 62.5 * 0.98 * 0.98, 62.5 * 0.98 * 0.98 * 0.98, 62.5])
    }

    /// A small cache grows first, with at least 2, and samples longer as the steps shrink.
    @Test func `simple grows small caches first`() {
        expect(steps(.simple, [0.02, 0.03], capacity: 16), [2, 2 * 0.995])
        var climber = SimpleClimber(ClimberSettings(capacity: 16, pivot: 0, sample: 0, seed: 1))
        #expect(climber.period == 160)
        _ = climber.step(
            after: ClimbSample(hitRatio: 0.01, previousHitRatio: 0, window: 1, previousWindow: 0, isFirst: true))
        #expect(climber.period == 160)
        for _ in 0..<300 {
            _ = climber.step(
                after: ClimbSample(hitRatio: 0.01, previousHitRatio: 0.01, window: 1, previousWindow: 1, isFirst: false)
            )
        }
        #expect(climber.period == 640)
    }

    /// After the first step of 62 it follows gains, reverses losses, and holds when nothing changes; then it has no move
    /// to go by and takes the first step again.
    @Test func `correlation follows what moved together`() {
        expect(
            steps(.correlation, [0.5, 0.51, 0.50, 0.50, 0.52]),
            [62, 62 * 0.95, -62 * 0.95 * 0.95, 0, 62])
    }

    /// It grows first; the smoothed change 0.003 is 0 of the last one at first, then 0.3 of it, then 0.7 * 0.003 + 0.3 *
    /// 0.02 = 0.0081 over 0.01 makes it longer; a loss of 0.02 turns it round at half the step, which is at most 100.
    @Test func `the trust region grows with steady gains`() {
        expect(steps(.trustRegion, [0.5, 0.51, 0.53, 0.51]), [62.5, 62.5, 93.75, -62.5 * 1.5 * 0.5])
    }

    /// The first step is 5. A gain of 0.01 over it is a gradient of -0.002 of the miss ratio, times 5.
    @Test func `descends the gradient`() {
        expect(steps(.gradient, [0.5, 0.51]), [5, 0.01])
        expect(steps(.momentum, [0.5, 0.51]), [5, 0.001])
        expect(steps(.nesterov, [0.5, 0.51]), [5, 0.019])
        // Without a change the velocity carries on; without a move it starts again.
        expect(steps(.momentum, [0.5, 0.51, 0.51]), [5, 0.001, 0.0009])
        expect(steps(.gradient, [0.5, 0.5, 0.6]), [5, 0, 5])
    }

    /// The scale is the gradient itself, so that the size of a lone gradient does not matter.
    @Test func `adapts the step to the gradients`() {
        let corrections = (first: (1 - 0.9) / (1 - 0.81), second: (1 - 0.999) / (1 - 0.998001))
        let adam = 5 * corrections.first / corrections.second.squareRoot()
        for (kind, expected) in [
            (ClimberKind.adam, adam), (.nadam, adam * 1.9), (.amsgrad, 5 * 0.1 / 0.001.squareRoot()),
        ] {
            let found = steps(kind, [0.5, 0.51])
            #expect(abs(found[1] - expected) < 1e-3 * expected, "\(kind): \(found)")
        }
    }

    /// A trial that loses much less than the temperature may stay; one that loses all is undone.
    @Test func `annealing undoes what it does not keep`() {
        let found = steps(.annealing, [0.5, 0.5, 0.46, 0.5])
        #expect(found == steps(.annealing, [0.5, 0.5, 0.46, 0.5]))
        #expect(found.allSatisfy { abs($0) < 62.5 * 12 })
    }
}
