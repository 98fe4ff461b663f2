internal import CIntrinsics
internal import CacheCore

/// A main FIFO queue behind a small one that filters newcomers, with ghosts of those that were filtered out.
///
/// The structure of S3-FIFO and Clock2Q+. The small queue and the ghosts are one log, in which nothing moves: see
/// ``FilterLog``. An object of main has its hits written where others have their position, so that a hit reads and writes one
/// word. All operations are O(1) amortised.
///
/// Memory: 4 bytes an id; 5 a slot of the log and 4 a slot of main, of both a quarter more than there can be objects and ghosts
/// or objects; in bytes 8 more an id. 4 an id more once an object was removed from main.
struct SmallMainGhostQueues<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// The small queue and the ghosts.
    var log: FilterLog
    /// The main queue.
    var ring: SecondChanceQueue
    private let sizes: Sizes
    let ghostLimit: Int
    private var weights = (small: 0, main: 0, ghosts: 0)
    /// The weight of the newest objects, or their number, whose hits do not count.
    private let windowLimit: Double
    private let windowCountsObjects: Bool
    var windowFill = 0
    /// The most objects in the window where each weighs 1.
    private let mostInWindow: Int
    /// The object that is being inserted, `.max` for none: if its ghost is dropped meanwhile, that is not reported.
    var incoming: ObjectID = .max

    /// An empty queue for what a configuration says, whose ghosts weigh at most `ghostLimit`. Objects are promoted after
    /// `threshold` hits, and in main `largestCount` of them are counted, both at most 3. With a `window` an object of the small
    /// queue counts hits only once others of that weight in all, or of that number, have entered behind it.
    ///
    /// - Throws: `AssayError` with code `usage` for more objects and ghosts than ``FilterLog/mostEntries``.
    init(
        _ configuration: PolicyConfiguration, ghostLimit: Int, threshold: UInt32, largestCount: UInt32,
        window: Double = 0, windowCountsObjects: Bool = false, start: UInt32 = FilterLog.step
    ) throws(AssayError) {
        let objects = configuration.objects.count
        let entries = min(objects, configuration.residentLimit + configuration.objectLimit(of: ghostLimit))
        guard entries <= FilterLog.mostEntries else {
            throw AssayError(
                .usage,
                "\(entries) objects and ghosts are more than the \(FilterLog.mostEntries) that this policy can tell apart. "
                    + "Take a smaller capacity, a smaller share of ghosts, or another policy.")
        }
        log = FilterLog(
            objects: objects, entries: entries, threshold: threshold, largestCount: largestCount, start: start)
        if window > 0 { log.window = log.next }
        ring = SecondChanceQueue(objects: objects, residents: configuration.residentLimit)
        sizes = Sizes(slots: objects)
        self.ghostLimit = ghostLimit
        windowLimit = window
        mostInWindow = Int(window.rounded(.up))
        self.windowCountsObjects = windowCountsObjects
    }

    /// The number of resident objects.
    var count: Int { log.count + ring.count }
    var weight: Int { Sizes.isUnit ? count : weights.small + weights.main }
    /// The total weight of the small queue.
    var smallWeight: Int { Sizes.isUnit ? log.count : weights.small }
    /// The total weight of the main queue.
    var mainWeight: Int { Sizes.isUnit ? ring.count : weights.main }
    /// Whether the small queue holds nothing. An object of size 0 counts.
    var isSmallEmpty: Bool { log.count == 0 }
    /// Whether the main queue holds nothing.
    var isMainEmpty: Bool { ring.count == 0 }
    /// Whether each object that enters the window, weighing 1, lets another one out, or there is none.
    var isWindowSteady: Bool { log.window == .max || windowFill == mostInWindow && log.hasNoGaps }
    private var ghostWeight: Int { Sizes.isUnit ? log.ghostCount : weights.ghosts }

    /// The weight that an object, resident or ghost, was admitted with.
    @inline(__always)
    func weight(of id: ObjectID) -> Int { sizes.weight(at: id) }

    /// Whether an object is resident.
    @inline(__always)
    func contains(_ id: ObjectID) -> Bool { log.places[id] >= log.oldest }

    /// Asks the processor to fetch an object's place.
    @inline(__always)
    func prefetch(_ id: ObjectID) { log.places.prefetch(id) }

    /// Counts a hit and returns true if the object is resident.
    @inline(__always)
    mutating func touch(_ id: ObjectID) -> Bool {
        let place = log.places[id]
        guard place >= log.oldest else { return false }
        if place >= log.firstOfMain {
            log.places[id] = log.raised(place)
        } else {
            settleWindow()
            log.count(hitOf: id)
        }
        return true
    }

    /// Takes the ghost of an object and returns true if there is one.
    @inline(__always)
    mutating func takeGhost(of id: ObjectID) -> Bool {
        let place = log.places[id]
        guard place >= log.firstGhost, place < log.oldest else { return false }
        weights.ghosts -= weight(of: id)
        log.remove(id)
        return true
    }

    /// Makes an object, of which nothing is known, the newest of the small queue.
    @inline(__always)
    mutating func addToSmall(_ id: ObjectID, weight: Int) {
        setWeight(weight, of: id)
        weights.small += Sizes.isUnit ? 0 : weight
        log.append(id)
        guard log.window != .max else { return }
        windowFill += length(of: id)
    }

    /// Makes an object, of which nothing is known, the newest of main.
    @inline(__always)
    mutating func addToMain(_ id: ObjectID, weight: Int) {
        setWeight(weight, of: id)
        enterMain(id, weight)
    }

    /// The oldest object of the small queue, which must not be empty.
    @inline(__always)
    mutating func oldest() -> ObjectID {
        log.skipGaps()
        return log.ids[log.slot(log.oldest)]
    }

    /// Whether the object that ``oldest()`` has found was hit often enough.
    @inline(__always)
    var isOldestPromotable: Bool { log.isOldestPromotable }

    /// Moves the object that ``oldest()`` has found to main.
    @inline(__always)
    mutating func promote(_ id: ObjectID) {
        leaveSmall(id, leavingGhost: false)
        enterMain(id, weight(of: id))
    }

    /// Evicts the object that ``oldest()`` has found, and leaves a ghost if it is not too heavy.
    @inline(__always)
    mutating func evict<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, into sink: inout Sink) {
        let weight = weight(of: id)
        sink.evicted(id)
        guard weight <= ghostLimit else {
            leaveSmall(id, leavingGhost: false)
            log.places[id] = FilterLog.nowhere
            return sink.forgotten(id)
        }
        while ghostWeight > ghostLimit - weight { forgetOldestGhost(into: &sink) }
        leaveSmall(id, leavingGhost: true)
        weights.ghosts += Sizes.isUnit ? 0 : weight
    }

    /// Turns main, whose objects go round again with a hit less, until one without a hit is the oldest, and evicts that
    /// without a ghost. Main must not be empty.
    @inline(__always)
    mutating func evictFromMain<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let (places, firstOfMain) = (log.places.base, log.firstOfMain)
        let id = ring.takeOldest(announce: { assay_prefetch_to_write(places + Int($0)) }) { id in
            let place = places[Int(id)]
            if place == firstOfMain { return true }
            places[Int(id)] = place - 1
            return false
        }
        log.places[id] = FilterLog.nowhere
        weights.main -= weight(of: id)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Takes an object out, resident or ghost; does nothing for any other.
    mutating func remove(_ id: ObjectID) {
        settleWindow()
        let place = log.places[id]
        guard place >= log.firstGhost else { return }
        if place >= log.firstOfMain {
            ring.remove(id)
            log.places[id] = FilterLog.nowhere
            weights.main -= weight(of: id)
        } else if place < log.oldest {
            _ = takeGhost(of: id)
        } else {
            weights.small -= weight(of: id)
            if place >= log.window { windowFill -= length(of: id) }
            log.remove(id)
            skipGapsOfWindow()
        }
    }
}

extension SmallMainGhostQueues where Sizes: ~Copyable {
    @inline(__always)
    private func setWeight(_ weight: Int, of id: ObjectID) { sizes.setWeight(weight, at: id) }

    @inline(__always)
    private mutating func enterMain(_ id: ObjectID, _ weight: Int) {
        weights.main += weight
        log.places[id] = log.firstOfMain
        ring.append(id)
    }

    @inline(__always)
    private mutating func leaveSmall(_ id: ObjectID, leavingGhost: Bool) {
        weights.small -= weight(of: id)
        let place = log.oldest
        log.takeOldest(leavingGhost: leavingGhost)
        guard place >= log.window else { return }
        windowFill -= length(of: id)
        log.window = log.oldest
        skipGapsOfWindow()
    }

    private mutating func forgetOldestGhost<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let id = log.oldestGhost()
        weights.ghosts -= weight(of: id)
        log.dropOldestGhost()
        if id != incoming { sink.forgotten(id) }
    }

    /// What an object that enters behind others moves them along.
    private func length(of id: ObjectID) -> Int { windowCountsObjects ? 1 : weight(of: id) }

    /// Lets the oldest objects of the window out while the others fill it.
    @inline(__always)
    mutating func settleWindow() {
        guard log.window != .max else { return }
        // Without gaps, objects that weigh 1 are counted at once.
        if Sizes.isUnit, log.hasNoGaps {
            let excess = max(0, windowFill - mostInWindow)
            log.window += UInt32(excess) * FilterLog.step
            windowFill -= excess
            return
        }
        while log.window < log.next {
            let length = length(of: log.ids[log.slot(log.window)])
            guard Double(windowFill - length) >= windowLimit else { return }
            windowFill -= length
            log.window += FilterLog.step
            skipGapsOfWindow()
        }
    }

    private mutating func skipGapsOfWindow() {
        while log.window < log.next, log.marks[log.slot(log.window)] == 0 { log.window += FilterLog.step }
    }
}
