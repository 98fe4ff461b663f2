public import CacheCore
internal import CacheEngine
public import CacheHarness
internal import CacheSystems

/// RecordCache under upgrades: records are written by version 1 of a program, and read by versions 2, 3 and 4, each of which reads a part
/// of them, so that the last one finds records of all four versions. Then some are read once more.
///
/// A few records cannot be migrated: they are lost, and asked from the origin again. A program without migration would ask for every
/// record that it reads.
public final class RecordCacheRun: RunnableSystem {
    /// `record-cache`.
    public static let name = "record-cache"
    /// Records and groups; what part each version reads; how many cannot be migrated.
    public static let settings: [ParameterSpecification] =
        ParameterSpecification.origin + [
            ParameterSpecification(
                "records", .integer(default: 1_000_000, 1...100_000_000), "How many records are written."),
            ParameterSpecification(
                "groups", .integer(default: 1000, 1...1_000_000), "In how many groups, inside one other."),
            ParameterSpecification("read-by-2", .number(default: 0.3, 0...1), "The part that version 2 reads."),
            ParameterSpecification("read-by-3", .number(default: 0.3, 0...1), "The part that version 3 reads."),
            ParameterSpecification("read-by-4", .number(default: 1, 0...1), "The part that version 4 reads."),
            ParameterSpecification(
                "read-again", .number(default: 0.2, 0...1), "The part that version 4 reads once more."),
            ParameterSpecification("refused", .number(default: 0.001, 0...1), "The part that cannot be migrated."),
            ParameterSpecification(
                "memory-bytes", .integer(default: 16_000_000, 0...1_000_000_000_000),
                "How many bytes of records memory holds."),
        ]
    /// It keeps its records in a backend.
    public static let keepsFiles = true
    /// Experiments beside its workload.
    public static let probes = RecordCacheProbes.all

    /// Some steps in a row that one version of the program makes.
    private struct Phase {
        let version: Int
        let isWriting: Bool
        let steps: Range<Int>
    }

    private let setup: SystemRunSetup
    private let records: Int
    private let source: SimulatedOrigin
    /// The record of each step.
    private var numbers: [UInt32] = []
    private var phases: [Phase] = []
    private var cache: RecordCache?
    private var groups: [RecordGroup] = []
    private let migrations = EventCounter()
    private var events: [RecordEvent: Int] = [:]
    private var diskBytes: [(version: Int, bytes: Int)] = []

    /// Draws which records each version reads.
    public init(_ setup: SystemRunSetup) throws {
        self.setup = setup
        records = setup.scaled("records")
        source = SimulatedOrigin(try setup.originProfile(requests: 5 * records, bytesMax: 1 << 16))
        add(version: 1, isWriting: true, (0..<records).map { UInt32($0) })
        for (number, version) in [("read-by-2", 2), ("read-by-3", 3), ("read-by-4", 4), ("read-again", 4)] {
            let share = setup.values.number(number)
            let purpose = UInt64(phases.count)
            add(
                version: version, isWriting: false,
                (0..<records).filter { setup.drawn(purpose, $0) < share }.map { UInt32($0) })
        }
    }

    private func add(version: Int, isWriting: Bool, _ some: [UInt32]) {
        let first = numbers.count
        numbers += some
        phases.append(Phase(version: version, isWriting: isWriting, steps: first..<numbers.count))
    }

    /// Opens the cache over its store.
    public func open() throws {
        var options = RecordCacheOptions("library")
        options.memoryBytesMax = setup.scaled("memory-bytes")
        options.monitor = { [migrations] event, _ in if event == .migrated { migrations.add() } }
        let cache = try RecordCache(options, policy: setup.policy, storage: setup.openStore())
        let library = cache.group("library")
        groups = (0..<setup.scaled("groups")).map { library.group("shelf-\($0)") }
        self.cache = cache
    }

    /// How many records are written and read.
    public var stepCount: Int { numbers.count }
    /// What was asked for again.
    public var origin: OriginCounts { source.counts }

    /// Writes or reads some records, by the program's version of that time.
    public func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws {
        for (number, phase) in phases.enumerated() {
            let steps = steps.clamped(to: phase.steps)
            guard !steps.isEmpty else { continue }
            if number > 0, steps.lowerBound == phase.steps.lowerBound {
                try close()
                noteDisk(phases[number - 1].version)
                try sheet.aside("opening") { try open() }
            }
            for step in steps { try make(Int(numbers[step]), phase, sheet) }
        }
        if steps.upperBound == stepCount { _ = try sheet.aside("listing a group") { try groups.first?.keys() } }
    }

    private func make(_ number: Int, _ phase: Phase, _ sheet: SystemCallRecorder) throws {
        let group = groups[number % groups.count]
        let key = "book-\(number)"
        if phase.isWriting {
            let book = BookSchemaVersions.v1(
                number, hasPages: setup.drawn(0x7265_66, number) >= setup.values.number("refused"))
            let start = sheet.begin()
            try group.set(book, forKey: key)
            return sheet.end(.write, sheet.stop(start), bytes: 0, without: OriginCounts())
        }
        switch phase.version {
        case 2: try read(BookSchemaVersions.v2(number), group, key, sheet)
        case 3: try read(BookSchemaVersions.v3(number), group, key, sheet)
        default: try read(BookSchemaVersions.v4(number), group, key, sheet)
        }
    }

    /// Reads a record that must be like this one, or asks for it again.
    private func read<Book: CacheRecord & Equatable>(
        _ book: Book, _ group: RecordGroup, _ key: String, _ sheet: SystemCallRecorder
    ) throws {
        let before = migrations.count
        let start = sheet.begin()
        let found = try group.value(forKey: key, as: Book.self)
        var outcome = migrations.count == before ? SystemOutcome.hit : .migrated
        if found == nil {
            try source.ask(bytes: Self.bytes, at: 0)
            try group.set(book, forKey: key)
            outcome = .miss
        }
        let time = sheet.stop(start)
        if let found { try require(found == book, "\(key): \(found)") }
        sheet.end(outcome, time, bytes: Self.bytes, without: source.cost(bytes: Self.bytes))
    }

    /// What a record counts for on its way from the origin.
    private static let bytes = 200

    /// The records that are kept.
    public func entries() throws -> Int { try cache?.count() ?? 0 }

    private func noteDisk(_ version: Int) {
        diskBytes.append((version, DiskUsage.of(setup.directory).allocatedBytes))
    }

    /// What became of the records, and what they took on disk when each version was done.
    public func figures() throws -> [SystemFigure] {
        noteEvents()
        try cache?.flush()
        if let last = phases.last { noteDisk(last.version) }
        return [RecordEvent.migrated, .writtenBack, .refused].map {
            SystemFigure("records \(Self.words($0))", count: events[$0, default: 0])
        }
            + diskBytes.enumerated().map { place, disk in
                let isAgain = place > 0 && diskBytes[place - 1].version == disk.version
                return SystemFigure(
                    "on disk after version \(disk.version)\(isAgain ? ", read again" : "")", Double(disk.bytes), .bytes)
            }
    }

    private static func words(_ event: RecordEvent) -> String {
        switch event {
        case .writtenBack: "stored in their new form"
        case .refused: "lost, as they could not be migrated"
        default: event.rawValue
        }
    }

    /// Adds what the cache has counted since it was opened.
    private func noteEvents() {
        guard let statistics = cache?.statistics else { return }
        for event in RecordEvent.allCases { events[event, default: 0] += statistics[event] }
    }

    /// Closes the cache.
    public func close() throws {
        noteEvents()
        try cache?.close()
        (cache, groups) = (nil, [])
    }
}
