public import CacheCore

extension MeasureProof {
    /// What the subjects of ``memory(_:keys:policy:)`` allocate and leak for each entry: a size of its own in allocators, so
    /// that nothing is rounded.
    private static var ballastBytes: Int { 4096 }

    /// Measures stores that allocate and leak known amounts beside one that does not, in a process with jemalloc: every
    /// byte and every allocation is to be found, and none besides.
    ///
    /// - Throws: `AssayError` with code `unavailable` if jemalloc does not count in this process.
    public static func memory(
        _ columns: RequestColumns, keys: [[UInt8]], policy: PolicyEntry
    ) throws(AssayError) -> [Finding] {
        guard AllocationMeter.best()?.allocations() != nil else {
            throw AssayError(
                .unavailable,
                "nobody counts allocations in this process. Install libjemalloc2 and set LD_PRELOAD=libjemalloc.so.2 "
                    + "and MALLOC_CONF=tcache:false.")
        }
        func measure(bytes: Int, leaks: Bool) throws(AssayError) -> LiveRun.Memory {
            let entry = BackendEntry(LeakyStorage.self)
            var parameters = ParameterValues(defaults: entry.descriptor.parameters)
            try parameters.set("bytes", "\(bytes)", of: "ballast")
            try parameters.set("leaks", leaks ? "1" : "0", of: "ballast")
            let configuration = PolicyConfiguration(
                capacity: .objects(max(1, columns.objects.count / 10)), objects: columns.objects,
                parameters: ParameterValues(defaults: policy.descriptor.parameters))
            let run = LiveRun(
                .init(policy: policy, configuration: configuration, backend: entry, backendParameters: parameters),
                columns: columns, keys: keys, valueBytes: 64)
            return try run.memory(directory: "unused", measuresLeak: true)
        }
        // What the process allocates once, at its first use, is over after this one.
        _ = try measure(bytes: 1, leaks: false)
        let plain = try measure(bytes: 0, leaks: false)
        let heavy = try measure(bytes: ballastBytes, leaks: false)
        let leaking = try measure(bytes: ballastBytes, leaks: true)
        let (entries, puts) = (plain.counts.residentObjects, plain.counts.misses)
        func finding(_ name: String, _ injected: Int, _ measured: Double?) -> Finding {
            Finding(name: name, injected: Double(injected), measured: measured ?? .nan, tolerance: 0)
        }
        func difference(_ figure: (MemoryFigures) -> Int?, _ other: LiveRun.Memory) -> Double? {
            guard let first = figure(plain.figures), let second = figure(other.figures) else { return nil }
            return Double(second - first)
        }
        func allocations(_ memory: LiveRun.Memory) -> Double {
            ((memory.figures.allocationsPerRequest ?? .nan) * Double(memory.counts.requests)).rounded()
        }
        return [
            finding(
                "bytes of \(entries) entries with \(ballastBytes) more each", entries * ballastBytes,
                difference(\.allocatedBytes, heavy)),
            finding("allocations of \(puts) puts with one more each", puts, allocations(heavy) - allocations(plain)),
            finding(
                "bytes leaked by \(puts) entries that keep \(ballastBytes) each", puts * ballastBytes,
                difference(\.leakedBytes, leaking)),
        ]
    }
}
