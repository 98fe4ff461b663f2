internal import CHardwareCounters

/// Counts what the processor does for this thread and those that it starts afterwards, where the system lets it.
///
/// Linux refuses where `kernel.perf_event_paranoid` is above 2, in most containers, and in virtual machines without
/// counters; a figure is nil then, and never an estimate.
struct HardwareCounters: ~Copyable {
    private let descriptors: [Int32]

    /// Begins to count instructions, cycles and cache misses.
    init() {
        descriptors = [assay_counter_instructions, assay_counter_cycles, assay_counter_cache_misses].map {
            assay_counter_open($0)
        }
    }

    deinit { for descriptor in descriptors where descriptor >= 0 { assay_counter_close(descriptor) } }

    /// Instructions that were executed so far, nil where nobody counts.
    var instructions: Int? { read(0) }
    /// Cycles of the processor so far.
    var cycles: Int? { read(1) }
    /// Reads and writes so far that went to memory, past the last cache.
    var cacheMisses: Int? { read(2) }

    private func read(_ index: Int) -> Int? {
        var count: UInt64 = 0
        guard descriptors[index] >= 0, assay_counter_read(descriptors[index], &count) != 0 else { return nil }
        return Int(clamping: count)
    }
}
