public import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A lock for work of less than a microsecond, by more threads than there may be processors.
///
/// A thread that waits for a `Mutex` is handed it by the kernel, which wakes it for that: with more threads than processors each of them soon
/// waits for its turn at every call, and the lock does a thousandth of what it could. So a thread that finds it taken looks again
/// for a while, and lets others run meanwhile, before it waits.
@usableFromInline
struct ShardLock: ~Copyable, Sendable {
    @usableFromInline let mutex = Mutex<Void>(())
    /// How often a taken lock is looked at again at once, and then after others had the processor.
    private static let looks = 8, yields = 64

    @inlinable init() {}

    /// Does something while no other thread does anything under the lock.
    @inlinable @inline(__always)
    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !mutex._unsafeTryLock() { wait() }
        defer { mutex._unsafeUnlock() }
        return try body()
    }

    @usableFromInline @inline(never)
    borrowing func wait() {
        for look in 0..<(Self.looks + Self.yields) {
            if look >= Self.looks { sched_yield() }
            if mutex._unsafeTryLock() { return }
        }
        mutex._unsafeLock()
    }
}
