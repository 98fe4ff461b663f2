internal import CacheCore

extension LiveRun {
    /// Drives a cache through the trace without looking at a clock.
    func drive(_ cache: LiveCache) throws(AssayError) -> ReplayCounts {
        var counts = ReplayCounts()
        for position in columns.ids.indices {
            let request = columns.request(at: position)
            let size = valueBytes ?? request.size
            counts.bytesRequested += size
            if let value = try cache.get(request) {
                try cache.verify(value, request)
                counts.hits += 1
                counts.bytesHit += size
            } else if try cache.put(request, cache.nextOffer(request, valueBytes: size)) {
                counts.bytesWritten += size
            }
        }
        counts.requests = columns.ids.count
        counts.evictions = cache.evictions
        counts.residentObjects = cache.residentCount
        counts.residentWeight = cache.residentWeight
        cache.report(into: &counts)
        return counts
    }

    /// Drives a cache through the trace and times its calls; payloads and verification stay outside the timed part.
    func timedDrive(_ cache: LiveCache, meanGap: Int) throws(AssayError) -> LatencyFigures {
        var gets = LatencyRecorder(meanGap: meanGap, seed: 0x6765)
        var puts = LatencyRecorder(meanGap: meanGap, seed: 0x7075)
        for position in columns.ids.indices {
            let request = columns.request(at: position)
            var value: [UInt8]?
            if gets.shouldTime() {
                let start = MonotonicClock.nowNanoseconds()
                value = try cache.get(request)
                gets.record(nanoseconds: MonotonicClock.nowNanoseconds() &- start)
            } else {
                value = try cache.get(request)
            }
            if let value {
                try cache.verify(value, request)
                continue
            }
            let offer = cache.nextOffer(request, valueBytes: valueBytes ?? request.size)
            if puts.shouldTime() {
                let start = MonotonicClock.nowNanoseconds()
                _ = try cache.put(request, offer)
                puts.record(nanoseconds: MonotonicClock.nowNanoseconds() &- start)
            } else {
                _ = try cache.put(request, offer)
            }
        }
        return LatencyFigures(get: gets.summary(), put: puts.summary())
    }
}
