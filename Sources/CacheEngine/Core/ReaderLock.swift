public import CThreadNumber
public import CacheCore
public import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A lock that readers share without writing anything that another thread reads, and that writers hold alone; the notes of
/// readers are taken while others read.
///
/// A reader says so in a stripe that no other thread writes to, and then looks whether a writer is there; a writer says so
/// first, and then waits until no stripe says that somebody reads. Both steps of both are in the one order that all threads
/// agree on, so that at least one of the two sees the other: a reader that sees a writer takes its word back, waits until the
/// writer is gone, and begins anew. What a writer has changed is seen by the readers that find it gone, and what readers have
/// noted in their stripes by the writer that finds them gone.
///
/// Threads are told apart by number; those beyond the first 64 at once take the writers' way.
///
/// Mostly work of less than a microsecond is done under the lock, by more threads than there may be processors. A thread that
/// waits for a `Mutex` is handed it by the kernel, which wakes it for that: with more threads than processors each of them soon
/// waits for its turn at every call, and the lock does a thousandth of what it could; even one that is tried in vain asks the
/// kernel. So nobody is handed this lock: a thread that has to wait looks again for a while, lets others run meanwhile, and then
/// sleeps between its looks.
@usableFromInline
struct ReaderLock: ~Copyable, @unchecked Sendable {
    /// Two more than the number of the thread that holds the lock, 0 while none does.
    @usableFromInline let holder = Atomic<Int32>(0)
    /// Whether a writer keeps readers out; changed by whoever holds the lock.
    @usableFromInline let keepsOut = Atomic<Bool>(false)
    /// The stripe of each thread by its number, nil until it reads: each thread looks at its own, and writes it under the lock. Not
    /// there until somebody reads.
    @usableFromInline let stripes = Atomic<UnsafeMutablePointer<ReaderStripe?>?>(nil)
    /// A bit for each stripe there is; under the lock.
    @usableFromInline let known = Atomic<UInt64>(0)
    /// How often what is not ready is looked at again at once, and then after others had the processor.
    private static let looks = 64, yields = 64

    @usableFromInline
    init() {}

    deinit {
        forEachStripe { $0.deallocate() }
        stripes.load(ordering: .relaxed)?.deallocate()
    }

    /// Begins a read and returns this thread's stripe, to be given to ``leave(_:)``; nil if the read must take the writers' way.
    @inlinable @inline(__always)
    borrowing func enter() -> ReaderStripe? {
        let number = assay_thread_number()
        guard number >= 0, let stripes = stripes.load(ordering: .acquiring), let stripe = stripes[Int(number)] else {
            return nil
        }
        // A comparison of keys that reads the same cache comes here too, and waits for itself as it always did.
        guard !stripe.isReading.pointee.exchange(true, ordering: .sequentiallyConsistent) else { return nil }
        return keepsOut.load(ordering: .sequentiallyConsistent) ? enterLater(stripe) : stripe
    }

    /// Begins a read that has met a writer.
    @usableFromInline @inline(never)
    borrowing func enterLater(_ stripe: ReaderStripe) -> ReaderStripe {
        repeat {
            leave(stripe)
            wait { !keepsOut.load(ordering: .relaxed) }
            stripe.isReading.pointee.store(true, ordering: .sequentiallyConsistent)
        } while keepsOut.load(ordering: .sequentiallyConsistent)
        return stripe
    }

    /// Ends a read.
    @inlinable @inline(__always)
    borrowing func leave(_ stripe: ReaderStripe) {
        assay_keep_order()
        stripe.isReading.pointee.store(false, ordering: .releasing)
    }

    /// Does something while no other thread reads or does anything under the lock. Before that this thread's own notes are taken, while
    /// others still read.
    @inlinable @inline(__always)
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        takingOwn takeNotes: (ReaderStripe) -> Void = { _ in }, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !tryLock() { lock() }
        var others = known.load(ordering: .relaxed)
        let number = Int(assay_thread_number())
        if number >= 0, others >> UInt64(number) & 1 != 0 {
            others &= ~(1 << UInt64(number))
            takeNotes(stripes.load(ordering: .relaxed).unsafelyUnwrapped[number].unsafelyUnwrapped)
        }
        // Nobody else has ever read, and whoever begins to comes here first.
        if others != 0 { keepReadersOut(others) }
        defer {
            assay_keep_order()
            if others != 0 { keepsOut.store(false, ordering: .releasing) }
            unlock()
        }
        return try body()
    }

    /// Does something while no other thread does anything under the lock but read; does nothing if another holds the lock, unless
    /// it is to wait for it.
    @inlinable @inline(__always)
    borrowing func withNotes(waiting: Bool, _ body: () -> Void) {
        if !tryLock() {
            guard waiting else { return }
            lock()
        }
        body()
        unlock()
    }

    /// Gives the calling thread a stripe, if it has a number. Under the lock; readers are kept out from the next time on.
    @usableFromInline
    borrowing func addStripe() {
        let number = Int(assay_thread_number())
        let all = known.load(ordering: .relaxed)
        guard number >= 0, all >> UInt64(number) & 1 == 0 else { return }
        let stripes = stripes.load(ordering: .relaxed) ?? addTable()
        stripes[number] = ReaderStripe()
        known.store(all | 1 << UInt64(number), ordering: .relaxed)
    }

    private borrowing func addTable() -> UnsafeMutablePointer<ReaderStripe?> {
        let table = UnsafeMutablePointer<ReaderStripe?>.allocate(capacity: Int(ASSAY_THREAD_NUMBERS))
        table.initialize(repeating: nil, count: Int(ASSAY_THREAD_NUMBERS))
        stripes.store(table, ordering: .releasing)
        return table
    }

    /// Goes through the stripes. Under the lock.
    @inlinable @inline(__always)
    borrowing func forEachStripe(of some: UInt64 = .max, _ body: (ReaderStripe) -> Void) {
        var rest = known.load(ordering: .relaxed) & some
        guard rest != 0, let stripes = stripes.load(ordering: .relaxed) else { return }
        while rest != 0 {
            body(stripes[rest.trailingZeroBitCount].unsafelyUnwrapped)
            rest &= rest &- 1
        }
    }

    @inlinable @inline(__always)
    borrowing func keepReadersOut(_ readers: UInt64) {
        keepsOut.store(true, ordering: .sequentiallyConsistent)
        forEachStripe(of: readers) { stripe in
            if stripe.isReading.pointee.load(ordering: .sequentiallyConsistent) { awaitEnd(of: stripe) }
        }
    }

    @usableFromInline @inline(never)
    borrowing func awaitEnd(of stripe: ReaderStripe) {
        wait { !stripe.isReading.pointee.load(ordering: .sequentiallyConsistent) }
    }

    @usableFromInline @inline(never)
    borrowing func lock() {
        let number = assay_thread_number()
        precondition(
            number < 0 || holder.load(ordering: .relaxed) != number + 2, "a key's == or hash uses its own cache")
        wait { tryLock() }
    }

    @inlinable @inline(__always)
    borrowing func tryLock() -> Bool {
        holder.load(ordering: .relaxed) == 0
            && holder.compareExchange(expected: 0, desired: assay_thread_number() &+ 2, ordering: .acquiring).exchanged
    }

    @inlinable @inline(__always)
    borrowing func unlock() { holder.store(0, ordering: .releasing) }

    /// Waits for something that will soon be true, unless the thread that it waits for waits for a processor.
    private borrowing func wait(_ isReady: () -> Bool) {
        for look in 0... {
            if isReady() { return }
            if look < Self.looks {
                assay_spin()
            } else if look < Self.looks + Self.yields {
                sched_yield()
            } else {
                // Up to a millisecond: whoever empties a large cache holds the lock for long.
                usleep(UInt32(min(50 * (look - Self.looks - Self.yields + 1), 1_000)))
            }
        }
    }
}

/// What one thread has read since the policy was last told: written by that thread alone while it reads, and by
/// whoever holds the lock.
@usableFromInline
struct ReaderStripe: BitwiseCopyable {
    /// What is written without an atomic operation.
    @usableFromInline
    struct Notes: BitwiseCopyable {
        @usableFromInline var count = 0
        @usableFromInline var hits = 0
        @usableFromInline var misses = 0

        init() {}
    }

    @usableFromInline let place: UnsafeMutableRawPointer

    /// Whether the thread reads at this moment. Apart from the notes: other threads look at it while those are written.
    @inlinable @inline(__always)
    var isReading: UnsafeMutablePointer<Atomic<Bool>> { place.assumingMemoryBound(to: Atomic<Bool>.self) }
    @inlinable @inline(__always)
    var notes: UnsafeMutablePointer<Notes> { (place + 8).assumingMemoryBound(to: Notes.self) }
    /// The entries that were hit, the first `count` of ``room``.
    @inlinable @inline(__always)
    var ids: UnsafeMutablePointer<ObjectID> { (place + Self.line).assumingMemoryBound(to: ObjectID.self) }

    /// The entries that a thread can note.
    @inlinable static var room: Int { 112 }
    /// After so many it tells the policy whenever nobody else is at it.
    @inlinable static var step: Int { 16 }
    @inlinable static var plenty: Int { 48 }
    /// A stripe begins a cache line of its own, and its entries another.
    @inlinable static var line: Int { 64 }

    /// A stripe of a thread that has read nothing.
    init() {
        place = .allocate(byteCount: Self.line + Self.room * MemoryLayout<ObjectID>.stride, alignment: Self.line)
        place.bindMemory(to: Atomic<Bool>.self, capacity: 1).initialize(to: Atomic(false))
        (place + 8).bindMemory(to: Notes.self, capacity: 1).initialize(to: Notes())
        (place + Self.line).bindMemory(to: ObjectID.self, capacity: Self.room).initialize(
            repeating: 0, count: Self.room)
    }

    func deallocate() {
        isReading.deinitialize(count: 1)
        place.deallocate()
    }
}
