import CacheCore
import Testing

@testable import CacheHarness

@Suite("LatencyRecorder: exact percentiles of what it was given")
struct LatencyRecorderTests {
    @Test func `every call is timed at a gap of 1`() {
        var recorder = LatencyRecorder(meanGap: 1, seed: 1)
        for value in 1...1000 where recorder.shouldTime() { recorder.record(nanoseconds: UInt64(value)) }
        let summary = recorder.summary()
        #expect(summary.samples == 1000 && summary.operations == 1000)
        #expect(summary.p50Nanoseconds == 500 && summary.p90Nanoseconds == 900)
        #expect(summary.p99Nanoseconds == 990 && summary.maxNanoseconds == 1000)
    }

    @Test func `a sample has about the asked size and random gaps`() {
        var recorder = LatencyRecorder(meanGap: 64, seed: 1)
        var gaps: Set<Int> = []
        var last = 0
        for call in 1...640_000 where recorder.shouldTime() {
            gaps.insert(call - last)
            last = call
            recorder.record(nanoseconds: 1)
        }
        #expect((9000...11000).contains(recorder.summary().samples))
        #expect(gaps.count > 100)
        #expect(recorder.summary().operations == 640_000)
    }

    @Test func `a call beyond the histogram's range is not lost`() {
        var recorder = LatencyRecorder(meanGap: 1, seed: 1)
        _ = recorder.shouldTime()
        recorder.record(nanoseconds: 10)
        _ = recorder.shouldTime()
        recorder.record(nanoseconds: 3_600_000_000_000)
        #expect(recorder.summary().samples == 2)
        #expect(recorder.summary().maxNanoseconds == 600_000_000_000)
    }

    @Test func `nothing timed gives zeros`() {
        #expect(LatencyRecorder(meanGap: 1, seed: 1).summary().samples == 0)
    }
}
