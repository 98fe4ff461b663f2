internal import CIntrinsics
internal import CacheCore

/// Requests of a full cache in which every object weighs 1, served without branches.
extension MultiQueue where Sizes: ~Copyable {
    /// Serves requests up to one that must be served alone. `dropsFirst` says that a ghost is dropped for the victim's before a
    /// newcomer's is taken.
    ///
    /// Whether a request hits is close to a coin's toss for the processor, and so is in which queue its object is; guessing wrong
    /// costs more than the work of all. So each request is written at the end of both logs, of which one counts. That nobody is
    /// evicted until the requests are served, and that all that is due sinks before, can be told only by who asks for the oldest
    /// objects or ghosts, or for what is due: those requests are not served here.
    @inline(__always)
    mutating func serve(_ block: ObjectBlock, from start: Int, dropsFirst: Bool) -> BlockRun {
        let requests = prepare(block, from: start)
        guard requests > 0 else { return BlockRun() }
        let expiry = now &+ lifetime
        sink(ticks: requests)
        return run(block, from: start, requests, expiry, dropsFirst)
    }

    /// Makes room for a block, and counts the requests up to one for something that may leave its queue meanwhile.
    @inline(never)
    private mutating func prepare(_ block: ObjectBlock, from start: Int) -> Int {
        makeRoom(for: UInt32(Self.margin))
        // The ring is not left at its end, where each request may write two slots; and what is asked for is not due again.
        let room = Int(mask &+ 1 &- next & mask) / 2
        let requests = min(block.count &- start, lowCount, room, Int(lifetime))
        guard requests > 0 else { return 0 }
        if asked.next + UInt32(ObjectBlock.limit) > asked.end { asked = packed(asked) }
        if sunk.next + UInt32(ObjectBlock.limit) > sunk.end { sunk = packed(sunk) }
        let horizon = now &+ UInt32(requests)
        // Those that were asked for expire one by one.
        let askedEnd = min(asked.next, asked.hand + UInt32(requests))
        var sunkEnd = sunk.hand
        while sunkEnd < sunk.next, Int32(bitPattern: expiry(of: sunkEnd) &- horizon) < 0 { sunkEnd += 1 }
        let lowLength = positionFar(oldest, past: requests) - oldest
        let ghosts = min(ghostCount, requests)
        let ghostLength = ghosts == 0 ? 0 : positionFar(firstGhost, past: ghosts) - firstGhost
        let (askedStart, sunkStart) = (asked.start | QueueEntry.upper, sunk.start | QueueEntry.upper)
        let (askedLength, sunkLength) = (askedEnd - asked.start, sunkEnd - sunk.start)
        let (entries, oldest, firstGhost) = (entries.base, oldest, firstGhost)
        for request in 0..<requests {
            let place = entries[Int(block[start &+ request])].place
            if place &- oldest < lowLength || place &- firstGhost < ghostLength
                || place &- askedStart < askedLength || place &- sunkStart < sunkLength
            {
                return request
            }
        }
        return requests
    }

    /// Serves requests none of which asks for anything that may leave its queue meanwhile.
    @inline(never)
    private mutating func run(
        _ block: ObjectBlock, from start: Int, _ requests: Int, _ firstExpiry: UInt32, _ dropsFirst: Bool
    ) -> BlockRun {
        let (entries, marks, plans) = (entries.base, marks.base, plan.base)
        let upper = upper.base - Int(asked.start)
        let (firstGhost, oldest, mask) = (firstGhost, oldest, mask)
        let lowIDs = ids.base + (Int(slot(next)) &- Int(next))
        let sinking = plan.bits(DemotionBatch.leaves)
        (marks + Int(slot(next))).update(repeating: 1, count: requests &+ sinking.nonzeroBitCount)
        let nobody = UInt32(self.marks.count &- 1)
        var (end, next) = (asked.next, next)
        for request in 0..<requests {
            assay_prefetch_to_write(entries + Int(block.distant(start &+ request)))
            let id = block[start &+ request]
            let entry = entries[Int(id)]
            let place = entry.place
            let isNew = UInt32(truncatingIfNeeded: (UInt64(place) &- UInt64(firstGhost)) &>> 63)
            let isKnown = 1 &- isNew
            let missed = UInt32(truncatingIfNeeded: (UInt64(place) &- UInt64(oldest)) &>> 63)
            let count = Self.increased(entry.count & (0 &- isKnown))
            // Leaves a gap: the slots of the ring are the first, so that a place that is not in it is its own slot.
            let slot = place & (mask | UInt32(bitPattern: Int32(bitPattern: place) &>> 31)) & ~QueueEntry.upper
            marks[Int(isNew != 0 ? nobody : slot)] = 0
            lowIDs[Int(next)] = id
            upper[Int(end)] = UpperSlot(id: id, expiry: firstExpiry &+ UInt32(truncatingIfNeeded: request))
            marks[Int(end)] = UInt8(truncatingIfNeeded: queue(of: count) &<< 1 | 1)
            entries[Int(id)] = QueueEntry(place: isNew != 0 ? next : end | QueueEntry.upper, count: count)
            next &+= isNew
            end &+= isKnown
            let kind = UInt8(truncatingIfNeeded: missed | isKnown &<< 1 | (place &>> 31) &<< 2)
            plans.storeBytes(of: kind, toByteOffset: DemotionBatch.kinds &+ requests &- 1 &- request, as: UInt8.self)
            // What sinks at this tick follows.
            let offset = DemotionBatch.lowest &+ 4 &* request
            lowIDs[Int(next)] = plans.load(fromByteOffset: offset, as: ObjectID.self)
            plans.storeBytes(of: next, toByteOffset: DemotionBatch.places &+ 4 &* request, as: UInt32.self)
            next &+= UInt32(plans.load(fromByteOffset: DemotionBatch.leaves &+ request, as: UInt8.self))
        }
        self.next = next
        asked.next = end
        place(sinking)
        return settle(requests, sinking.nonzeroBitCount, dropsFirst)
    }

    /// Writes down where what has sunk into the lowest queue is.
    @inline(__always)
    private func place(_ sinking: UInt64) {
        var rest = sinking
        while rest != 0 {
            let request = rest.trailingZeroBitCount
            rest &= rest &- 1
            let id = plan.base.load(fromByteOffset: DemotionBatch.lowest &+ 4 &* request, as: ObjectID.self)
            setPlace(plan.base.load(fromByteOffset: DemotionBatch.places &+ 4 &* request, as: UInt32.self), of: id)
        }
    }

    /// Counts what was served, and evicts and forgets as many as had to leave.
    @inline(__always)
    private mutating func settle(_ requests: Int, _ sunk: Int, _ dropsFirst: Bool) -> BlockRun {
        let misses = plan.bits(DemotionBatch.kinds)
        let known = plan.bits(DemotionBatch.kinds, 1)
        let above = plan.bits(DemotionBatch.kinds, 2).nonzeroBitCount
        let missed = misses.nonzeroBitCount
        let returned = (misses & known).nonzeroBitCount
        let kept = known.nonzeroBitCount
        let forgotten = forgottenGhosts(misses, known, dropsFirst)
        lowCount &+= (requests &- kept) &+ sunk &- (kept &- returned &- above) &- missed
        upperCount &+= kept &- above
        ghostCount &+= missed &- returned &- forgotten
        if missed > 0 { oldest = position(oldest, past: missed) }
        if forgotten > 0 { firstGhost = position(firstGhost, past: forgotten) }
        return BlockRun(requests: requests, misses: misses)
    }

    /// How many ghosts are dropped for those of the victims.
    @inline(__always)
    private func forgottenGhosts(_ misses: UInt64, _ known: UInt64, _ dropsFirst: Bool) -> Int {
        let returned = misses & known
        var room = ghostLimit &- ghostCount
        let added = misses.nonzeroBitCount
        guard dropsFirst, room < added else { return max(0, added &- returned.nonzeroBitCount &- room) }
        var (forgotten, rest, before) = (0, misses & known, misses)
        // Those that came back, the first of them highest.
        while rest != 0 {
            let bit = UInt64(rest.leadingZeroBitCount)
            let through = ~((UInt64.max &>> bit) &>> 1)
            let gone = (before & through).nonzeroBitCount
            forgotten &+= max(0, gone &- room)
            room = max(0, room &- gone) &+ 1
            before &= ~through
            rest &= ~through
        }
        return forgotten &+ max(0, before.nonzeroBitCount &- room)
    }
}
