public import CacheCore
internal import CacheEngine
public import CacheHarness
internal import CacheSystems

/// ExpiringDiskCache under an image feed: images of many sizes, some far more popular, that are loaded from a slow origin, expire, are kept
/// on a disk that is bounded, and those seen lately in memory. Now and then everything that has expired is removed.
public final class ExpiringDiskCacheRun: RunnableSystem {
    /// `expiring-disk-cache`.
    public static let name = "expiring-disk-cache"
    /// Images, their sizes and lives; the room in memory and on disk; the sweeps; the origin.
    public static let settings: [ParameterSpecification] =
        ParameterSpecification.requests(30_000, objects: 5000, exponent: 0.8)
        + ParameterSpecification.sizes(median: 30_000, most: 500_000) + ParameterSpecification.origin + [
            ParameterSpecification(
                "lifetime-seconds", .integer(default: 3600, 1...1_000_000_000),
                "How long an image lives; each lives between half and one and a half times as long."),
            ParameterSpecification(
                "memory-objects", .integer(default: 200, 1...100_000_000), "How many images memory holds."),
            ParameterSpecification(
                "disk-bytes", .integer(default: 100_000_000, 1...1_000_000_000_000), "How many bytes the disk holds."),
            ParameterSpecification(
                "sweep-every", .integer(default: 5000, 1...1_000_000_000),
                "How many requests lie between two removals of everything that has expired."),
            ParameterSpecification(
                "seconds-between-requests", .number(default: 0.5, 0...1e6),
                "How fast somebody scrolls, in virtual time."),
        ]
    /// It keeps its objects in a backend.
    public static let keepsFiles = true
    /// Experiments beside its workload.
    public static let probes = ExpiringDiskCacheProbes.all

    private let setup: SystemRunSetup
    private let objects: [UInt32]
    private let clock = VirtualClock(wallNanoseconds: 1_800_000_000_000_000_000)
    private let source: SimulatedOrigin
    private let sweepEvery: Int
    private let stepNanoseconds: Int64
    private var cache: ExpiringDiskCache<[UInt8]>?
    private var swept = (sweeps: 0, objects: 0)
    private var served = (memory: 0, disk: 0)

    /// Draws the images.
    public init(_ setup: SystemRunSetup) throws {
        self.setup = setup
        objects = setup.drawnObjects(
            setup.scaled("requests"), of: setup.scaled("objects"), exponent: setup.values.number("exponent"))
        source = SimulatedOrigin(
            try setup.originProfile(requests: objects.count, bytesMax: setup.values.integer("size-max")))
        sweepEvery = setup.scaled("sweep-every")
        stepNanoseconds = try setup.stepNanoseconds()
    }

    /// Opens the cache over its store.
    public func open() throws {
        var options = ExpiringDiskCacheOptions()
        options.memoryObjectsMax = setup.scaled("memory-objects")
        options.diskBytesMax = setup.scaled("disk-bytes")
        options.clock = clock
        cache = try ExpiringDiskCache(options, policy: setup.policy, storage: setup.openStore(), codec: .bytes)
    }

    /// How many requests there are.
    public var stepCount: Int { objects.count }
    /// What was loaded.
    public var origin: OriginCounts { source.counts }

    /// Makes some requests.
    public func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws {
        guard let cache else { return }
        for step in steps {
            let object = objects[step]
            clock.advance(nanoseconds: stepNanoseconds)
            if step > 0, step.isMultiple(of: sweepEvery) {
                swept.objects += try sheet.aside("removing what has expired") { try cache.removeExpired() }
                swept.sweeps += 1
            }
            let image = Payload(id: object, version: 0, count: setup.drawnSize(Int(object)))
            let key = "feed/\(object).jpg"
            let isInMemory = cache.isInMemory(key)
            var isLoaded = false
            let start = sheet.begin()
            let found = try cache.object(forKey: key, expires: .seconds(lifetime(of: object))) {
                isLoaded = true
                try source.ask(bytes: image.count, at: clock.wallNanoseconds())
                return image.bytes()
            }
            let time = sheet.stop(start)
            try require(image.matches(found), "image \(object)")
            if !isLoaded { if isInMemory { served.memory += 1 } else { served.disk += 1 } }
            sheet.end(
                isLoaded ? .miss : .hit, time, bytes: found.count, without: source.cost(bytes: image.count))
        }
    }

    private func lifetime(of object: UInt32) -> Double {
        Double(setup.values.integer("lifetime-seconds")) * (0.5 + setup.drawn(0x6C_6966_65, Int(object)))
    }

    /// The images that are kept.
    public func entries() throws -> Int { try cache.map { try $0.allObjects(includingExpired: true).count } ?? 0 }

    /// Where hits came from, and what the sweeps removed.
    public func figures() throws -> [SystemFigure] {
        [
            SystemFigure("hits from memory", served.memory, of: served.memory + served.disk),
            SystemFigure("hits from disk", served.disk, of: served.memory + served.disk),
            SystemFigure("sweeps", count: swept.sweeps),
            SystemFigure("objects that sweeps removed", count: swept.objects),
        ]
    }

    /// Closes the cache.
    public func close() throws {
        try cache?.close()
        cache = nil
    }
}
