internal import CIntrinsics
internal import CacheCore

/// What leaves the segments next, and how room is made in the log.
///
/// What is called is mutating, though it changes buffers alone: otherwise each call would be given a copy of the whole log's 200 bytes.
extension SegmentLog {
    /// Passes so many of the residents that are known to leave a segment next.
    @inline(__always)
    func pass(_ count: UInt32, of segment: UInt32) {
        fronts.update(segment) { $0.first &+= count }
        settleEdge(segment)
    }

    /// Takes note of what was passed.
    @inline(__always)
    func settleEdge(_ segment: UInt32) {
        let passed = leaving[segment &* line &+ fronts[segment].first &- 1]
        edges.update(segment) { $0.oldest = (passed &+ 1) << 4 | segment }
    }

    /// Knows as many of those that leave a segment next as are wanted, or none, and where they end.
    @inline(__always)
    mutating func prepareFront(_ segment: UInt32, _ wanted: Int) {
        let front = fronts[segment]
        if wanted == 0 {
            // What is known must not be struck without notice.
            if front.first < front.end { forgetFront(segment) }
            return edges.update(segment) { $0.front = 0 }
        }
        if Int(front.end &- front.first) < wanted { findLeaving(segment, atLeast: wanted) }
        edges.update(segment) { $0.front = fronts[segment].seen << 4 &- $0.oldest & ~15 }
    }

    @inline(never)
    private mutating func forgetFront(_ segment: UInt32) {
        fronts.update(segment) {
            $0.seen = leaving[segment &* line &+ $0.first]
            $0.end = $0.first
        }
    }

    /// Looks for those that leave a segment next until a quarter more are known than are wanted, as far as it has them.
    @inline(never)
    mutating func findLeaving(_ segment: UInt32, atLeast wanted: Int) {
        assert(wanted + wanted / 4 + 64 < self.line, "more than a line holds")
        let (line, ids) = (leaving.base + Int(segment &* line), ids.base - Int(base))
        var front = fronts[segment]
        let known = Int(front.end &- front.first)
        line.update(from: line + Int(front.first &- 1), count: known + 1)
        var end = known &+ 1
        while end <= wanted &+ wanted / 4, front.seen < next {
            var here = entries(of: segment, from: front.seen)
            let place = Int(front.seen)
            while here != 0 {
                line[end] = UInt32(truncatingIfNeeded: place &+ here.trailingZeroBitCount)
                // What falls is written, though not by those that ask for it.
                if segment > 0 { prefetch(ids[Int(line[end])]) }
                end &+= 1
                here &= here &- 1
            }
            front.seen = min(front.seen &+ 64, next)
        }
        (front.first, front.end) = (1, UInt32(truncatingIfNeeded: end))
        fronts[segment] = front
    }

    /// Takes a mark from those that are known to leave next.
    @inline(never)
    mutating func dropLeaving(_ mark: UInt32) {
        let front = fronts[mark & 15]
        let line = leaving.base + Int((mark & 15) &* self.line)
        // Of so many from `low` on it is one: they are in order.
        var (low, count) = (Int(front.first), Int(front.end &- front.first))
        while count > 1 {
            let half = count / 2
            let isOlder = Int(line[low &+ half]) &- Int(mark >> 4) &- 1
            // Half of it or nothing, without a branch that nobody can foresee.
            low &+= half & (isOlder &>> 63)
            count &-= half
        }
        // With those before it, the last that was passed moves up too.
        let start = Int(front.first) - 1
        (line + start + 1).update(from: line + start, count: low - start)
        fronts.update(mark & 15) { $0.first += 1 }
    }

    /// Moves every resident to the lowest free slot, in order, so that the rest of the log can be written again. All get new
    /// positions, after any that was given before.
    ///
    /// O(slots); once in 2^28 positions O(objects) besides, when positions begin anew.
    @inline(never)
    mutating func pack() {
        let end = next &- base
        var target: UInt32 = 0
        for word in 0..<(end + 63) / 64 {
            var rest = residents(inWord: word)
            while rest != 0 {
                let source = word &* 64 &+ UInt32(truncatingIfNeeded: rest.trailingZeroBitCount)
                ids[target] = ids[source]
                tags[target] = tags[source]
                target &+= 1
                rest &= rest &- 1
            }
        }
        (tags.base + Int(target)).update(repeating: Self.gap, count: Int(end - target))
        base = baseAfter(next)
        next = base + target
        for slot in 0..<target {
            // Marks lie anywhere in a large table.
            prefetch(ids[slot &+ 24])
            marks[ids[slot]] = (base &+ slot) << 4 | UInt32(tags[slot])
        }
        forgetFronts()
    }

    /// A base that puts the first slot after every position so far.
    private func baseAfter(_ next: UInt32) -> UInt32 {
        // The highest mark of all stands for none.
        if next < UInt32(1) << 28 - 1 - slots { return next }
        marks.base.update(repeating: 0, count: marks.count)
        return 1
    }

    /// Whatever is in the log is resident, and which of it leaves next is not known.
    func forgetFronts() {
        for segment in 0..<segments {
            leaving[segment * line] = base - 1
            fronts[segment] = Front(seen: base)
            settleEdge(segment)
        }
    }

    private func residents(inWord word: UInt32) -> UInt64 {
        var all: UInt64 = 0
        for segment in 0..<segments {
            let passed = Int(edges[segment].oldest >> 4 &- base) &- Int(word &* 64)
            let kept: UInt64 = passed <= 0 ? .max : passed >= 64 ? 0 : .max << UInt64(passed)
            all |= entries(of: segment, from: base &+ word &* 64) & kept
        }
        return all
    }

    /// The slots with a segment's tag among 64 from a position on, a bit for each, the lowest for the first.
    @inline(__always)
    private func entries(of segment: UInt32, from place: UInt32) -> UInt64 {
        assay_equal_bytes(tags.base + Int(place &- base), UInt8(truncatingIfNeeded: segment))
    }
}
