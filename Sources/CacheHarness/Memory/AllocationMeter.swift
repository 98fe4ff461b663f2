internal import CMemoryProbe

/// Reads how many bytes this process has allocated, by the best counter it has.
///
/// jemalloc counts exactly and is preloaded into memory passes only; the C library's own count is coarser (chunk headers,
/// other rounding). The meter tests itself when it is made and is unavailable rather than wrong.
struct AllocationMeter {
    /// Who counts: `jemalloc` or `mallinfo2`.
    let name: String
    private let read: (UnsafeMutablePointer<UInt64>) -> Int32

    /// The environment of a process that is to count with jemalloc.
    ///
    /// The library by its name alone: the loader looks where libraries are, and without it the process falls back to the
    /// next counter by itself. Its thread caches are off: what lies in them would count as allocated, and leave the count
    /// whenever they are flushed.
    static let environment = ["LD_PRELOAD": "libjemalloc.so.2", "MALLOC_CONF": "tcache:false"]

    /// The best meter that works in this process, nil if none does.
    static func best() -> AllocationMeter? {
        let meters = [
            AllocationMeter(name: "jemalloc", read: assay_jemalloc_allocated),
            AllocationMeter(name: "mallinfo2", read: assay_libc_allocated),
        ]
        return meters.first { $0.works() }
    }

    /// The bytes allocated now.
    func allocatedBytes() -> Int {
        var bytes: UInt64 = 0
        return read(&bytes) == 0 ? 0 : Int(bytes)
    }

    /// The allocations so far; nil where nobody counts them.
    func allocations() -> Int? { count(assay_jemalloc_allocations) }

    /// The bytes of the pages that have allocations in them; nil where nobody counts them.
    func activeBytes() -> Int? { count(assay_jemalloc_active) }

    private func count(_ read: (UnsafeMutablePointer<UInt64>) -> Int32) -> Int? {
        var count: UInt64 = 0
        return read(&count) == 0 ? nil : Int(count)
    }

    /// Whether an allocation of known size moves the counter by about that size, and freeing it moves it back.
    private func works() -> Bool {
        let probeBytes = 1 << 20
        let before = allocatedBytes()
        let memory = assay_probe_malloc(probeBytes)
        let during = allocatedBytes()
        assay_probe_free(memory)
        let after = allocatedBytes()
        // Another thread may free a little meanwhile.
        return before > 0 && (probeBytes * 7 / 8..<probeBytes * 3 / 2).contains(during - before) && after < during
    }
}
