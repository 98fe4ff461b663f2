internal import CIntrinsics

/// The part of an ``RecencyQueue``'s log in which the oldest object is found whatever the next requests ask for.
///
/// It begins at the oldest object and holds at least as many objects as there are requests. So whom they push out is decided by
/// these objects and by how many requests miss: a request for anything outside can be answered without knowing who is the
/// oldest by then, and one for an object inside by counting those before it.
@frozen
public struct EvictionZone: BitwiseCopyable {
    /// The number of positions.
    @usableFromInline let length: UInt32
    /// The number of requests, at least 1.
    @usableFromInline let requests: Int
}

/// Requests of a full queue, served without branches and with the evictions put off: see ``RecencyQueue/serveBlock(_:)``.
extension AgeLog {
    /// The zone for up to so many requests, for which there is room at the end then. The queue must not be empty.
    @inline(never) @usableFromInline
    func zone(for requests: Int, _ ends: inout Ends) -> EvictionZone {
        if ends.slot(ends.next) + ObjectBlock.limit > Int(slots) { pack(&ends) }
        // A small cache has few objects, and the more of them lie in the zone, the more must be counted for.
        let wanted = min(requests, 1 + ends.count >> 4)
        if ends.counted < wanted { count(wanted, &ends) }
        return EvictionZone(length: ends.countedEnd &- ends.oldest, requests: min(wanted, ends.counted))
    }

    /// Counts the oldest objects up to at least so many, or all.
    @inline(never)
    private func count(_ wanted: Int, _ ends: inout Ends) {
        var word = ends.slot(ends.oldest) / 64
        var found = (present(word) & .max << UInt64(ends.oldest & 63)).nonzeroBitCount
        while found < wanted, ends.base + UInt32(word * 64 + 64) < ends.next {
            word += 1
            found += present(word).nonzeroBitCount
        }
        let end = ends.base + UInt32(word * 64 + 64)
        ends.countedEnd = min(end, ends.next)
        // What is not written yet was counted.
        ends.counted = found - Int(end - ends.countedEnd)
    }

    // Each returns a bit for a request, the lowest for the last, set where it missed.

    /// Serves requests each of which makes its object the newest: LRU.
    ///
    /// The first loop writes only where ids lead, and notes what it finds: a processor lets no read pass a write to an address that it
    /// must wait for, once such a read has met a write, so that with gaps written at once each request waited for the one before, which
    /// took half as long again. What has hit in the zone is told last.
    @inline(never) @usableFromInline
    func renewed(_ block: ObjectBlock, from start: Int, _ zone: EvictionZone, _ ends: inout Ends) -> UInt64 {
        let (places, found, gaps) = (places, found, gaps - Int(ends.base))
        let (oldest, end) = (ends.oldest, ends.oldest &+ zone.length)
        var next = ends.next
        var left = zone.requests
        while left > 0 {
            let request = start &+ zone.requests &- left
            assay_prefetch_to_write(places + Int(block.upcoming(request)))
            let id = Int(block[request])
            left &-= 1
            found[left] = places[id]
            places[id] = next
            next &+= 1
        }
        for request in 0..<zone.requests {
            // Behind the oldest it does not matter what is a gap.
            gaps[Int(found[request] < end ? oldest &- 1 : found[request])] = 1
        }
        (ids + ends.slot(ends.next)).update(from: block.ids + start, count: zone.requests)
        ends.next = next
        let served = UInt64.max &>> UInt64(64 &- zone.requests)
        var misses = assay_less(found, oldest) & served
        var inZone = assay_less(found, end) & served & ~misses
        while inZone != 0 {
            let bit = UInt64(63 &- inZone.leadingZeroBitCount)
            let place = found[Int(bit)]
            inZone ^= 1 &<< bit
            if isGone(place, after: misses &>> bit, ends) {
                misses |= 1 &<< bit
            } else {
                gaps[Int(place)] = 1
                ends.counted &-= 1
            }
        }
        drop(misses.nonzeroBitCount, &ends)
        return misses
    }

    /// Serves requests each of which that hits makes its object the newest if the next 53 bits of the generator are
    /// below `limit`, and leaves it where it is otherwise: LRU by chance.
    @inline(never) @usableFromInline
    func renewed(
        _ block: ObjectBlock, from start: Int, _ zone: EvictionZone, _ ends: inout Ends,
        below limit: UInt64, of generator: inout SeededGenerator
    ) -> UInt64 {
        var misses: UInt64 = 0
        var next = ends.next
        let (target, gaps) = (ids - Int(ends.base), gaps - Int(ends.base))
        let oldest = ends.oldest
        var numbers = generator
        for request in start..<start &+ zone.requests {
            assay_prefetch_to_write(places + Int(block.upcoming(request)))
            let id = block[request]
            let place = places[Int(id)]
            var missed = isBefore(place, oldest)
            if place &- oldest < zone.length {
                missed = isGone(place, after: misses, ends) ? 1 : 0
                // It may leave the zone.
                ends.counted &-= 1
            }
            // A miss takes no number.
            let renews = numbers.next(taken: 1 &- missed, below: limit) & (1 &- missed)
            places[Int(id)] = either(next, if: missed | renews, else: place)
            target[Int(next)] = id
            next &+= UInt32(truncatingIfNeeded: missed | renews)
            // Behind the oldest it does not matter what is a gap.
            gaps[Int(either(place, if: renews, else: oldest &- 1))] = 1
            misses = misses &<< 1 | missed
        }
        generator = numbers
        drop(misses.nonzeroBitCount, &ends)
        ends.next = next
        return misses
    }

    /// Whether the object at a position in the zone has left after some misses.
    @inline(never)
    private func isGone(_ place: UInt32, after misses: UInt64, _ ends: Ends) -> Bool {
        var before = 0
        var ahead = UInt64.max << UInt64(ends.oldest & 63)
        let last = ends.slot(place) / 64
        for word in ends.slot(ends.oldest) / 64..<last {
            before += (present(word) & ahead).nonzeroBitCount
            ahead = .max
        }
        before += (present(last) & ahead & (1 << UInt64(place & 63) - 1)).nonzeroBitCount
        return before < misses.nonzeroBitCount
    }

    /// Lets the oldest objects go.
    @inline(__always)
    private func drop(_ count: Int, _ ends: inout Ends) {
        guard count > 0 else { return }
        ends.counted &-= count
        var count = count
        var word = ends.slot(ends.oldest) / 64
        var rest = present(word) & .max << UInt64(ends.oldest & 63)
        var size = rest.nonzeroBitCount
        while size < count {
            count -= size
            word += 1
            rest = present(word)
            size = rest.nonzeroBitCount
        }
        for _ in 1..<count { rest &= rest &- 1 }
        ends.oldest = ends.base + UInt32(word * 64 + rest.trailingZeroBitCount + 1)
    }

    /// 1 if a position lies before another, else 0.
    @inline(__always)
    private func isBefore(_ place: UInt32, _ other: UInt32) -> UInt64 { (UInt64(place) &- UInt64(other)) &>> 63 }

    /// One of two positions, by a 1 or a 0: written so that it becomes no branch.
    @inline(__always)
    private func either(_ first: UInt32, if isFirst: UInt64, else second: UInt32) -> UInt32 {
        second ^ (first ^ second) & (0 &- UInt32(truncatingIfNeeded: isFirst))
    }
}
