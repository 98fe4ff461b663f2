public import CacheCore

/// Results of any kind as the gate compares them: cells with their figures.
public struct FigureSet: Sendable, Hashable {
    /// Where the results come from: a file or a folder.
    public var source: String
    /// The cells, each once.
    public private(set) var cells: [FigureCell] = []
    /// The traces and workloads of the cells.
    public private(set) var traces: [FigureTrace] = []
    /// What a reader must know of these results, a sentence each.
    public var notes: [String] = []
    private var positions: [FigureCell.Identity: Int] = [:]

    /// Results without a cell.
    public init(source: String) { self.source = source }

    /// Every figure, in the order of the cells.
    public var figures: [ResultFigure] { cells.flatMap { $0.figures + $0.counted.flatMap(\.figures) } }

    /// Adds a cell, or the machine's figures of one that is there.
    ///
    /// - Throws: `AssayError` with code `badInput` if the cell is there already.
    public mutating func add(_ cell: FigureCell, from file: String) throws(AssayError) {
        guard let position = positions[cell.identity] else {
            positions[cell.identity] = cells.count
            cells.append(cell)
            return
        }
        var merged = cells[position]
        let machines = Set(merged.counted.map(\.machine))
        guard !(cell.isWhole && merged.isWhole), machines.isDisjoint(with: cell.counted.map(\.machine)) else {
            throw AssayError(
                .badInput, "\(cell.identity): the cell is there twice. Keep the results of one run.", at: .init(file))
        }
        if cell.isWhole { (merged.figures, merged.isWhole) = (cell.figures, true) }
        merged.counted += cell.counted
        cells[position] = merged
    }

    /// The cell of that identity.
    func cell(_ identity: FigureCell.Identity) -> FigureCell? { positions[identity].map { cells[$0] } }

    /// Adds a trace that cells name.
    public mutating func add(_ trace: FigureTrace) {
        if !traces.contains(trace) { traces.append(trace) }
    }

    /// Adds what another file holds.
    ///
    /// - Throws: `AssayError` with code `badInput` if a cell is in both.
    public mutating func add(_ other: FigureSet) throws(AssayError) {
        for cell in other.cells { try add(cell, from: other.source) }
        for trace in other.traces { add(trace) }
        notes += other.notes.filter { !notes.contains($0) }
    }
}

/// One subject at one place with its figures.
public struct FigureCell: Sendable, Hashable {
    /// What tells cells apart.
    public struct Identity: Sendable, Hashable, CustomStringConvertible {
        /// What is judged.
        public var subject: String
        /// Its parameters; empty for the defaults.
        public var parameters: String
        /// Under what it was measured, as in ``ResultFigure/place``.
        public var place: [String: String]

        /// The identity without parameters.
        var withoutParameters: Identity { Identity(subject: subject, parameters: "", place: place) }

        /// `s3fifo:small=0.2 at capacity=10 objects, kind=run, trace=web`.
        public var description: String {
            let words = place.sorted { $0.key < $1.key }.filter { $0.key != "trace-digest" }
            return subject + (parameters.isEmpty ? "" : ":\(parameters)") + " at "
                + words.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        }
    }

    /// What was counted on one machine.
    public struct Counted: Sendable, Hashable {
        /// The machine.
        public var machine: Machine
        /// The figures.
        public var figures: [ResultFigure]
    }

    /// What tells the cell apart.
    public var identity: Identity
    /// Exact figures and times.
    public var figures: [ResultFigure] = []
    /// Figures that depend on the machine, by machine.
    public var counted: [Counted] = []
    /// Why the subject failed; nil if it did not.
    public var failure: String?
    /// The seed of everything random; nil if nobody says.
    public var seed: UInt64?
    /// The command that measures it again; empty if nobody knows.
    public var command = ""
    /// Whether it has all figures but those of other machines; without, it is one machine's part of a baseline.
    var isWhole = true
    /// The capacity as it was asked for; nil if nobody says.
    var askedAs: String?

    /// A cell without figures.
    public init(subject: String, parameters: String, place: [String: String]) {
        identity = Identity(subject: subject, parameters: parameters, place: place)
    }

    /// Adds a figure; nothing for nil. A counted one needs the machine that it was counted on.
    mutating func add(_ name: String, _ value: ResultFigure.Value?, on machine: Machine? = nil) {
        guard let value else { return }
        let figure = FigureKinds.figure(name, value, of: identity)
        guard figure.kind == .counted, let machine else { return figures.append(figure) }
        if let index = counted.firstIndex(where: { $0.machine == machine }) {
            counted[index].figures.append(figure)
        } else {
            counted.append(Counted(machine: machine, figures: [figure]))
        }
    }

    /// Marks the cell as failed, with the kind of failure as a figure.
    mutating func fail(_ failure: CellFailure) {
        self.failure = "\(failure.kind.rawValue): \(failure.message)"
        add("failure", .word(failure.kind.rawValue))
    }
}

/// What counted figures depend on.
public struct Machine: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The processor's model.
    public var processor: String
    /// The operating system.
    public var system: String
    /// `release` or `debug`.
    public var build: String
    /// Who counted the memory: figures of two allocators are never comparable.
    public var allocator: String

    /// A machine.
    public init(processor: String, system: String, build: String, allocator: String) {
        self.processor = processor
        self.system = system
        self.build = build
        self.allocator = allocator
    }

    init(_ environment: EnvironmentDescription, allocator: String?) {
        self.init(
            processor: environment.processor, system: environment.operatingSystem,
            build: environment.build.split(separator: " ").last.map(String.init) ?? "",
            allocator: allocator ?? environment.memoryAllocator)
    }

    /// The processor, the system, the build and the allocator.
    public var description: String { "\(processor), \(system), \(build), \(allocator)" }
}

/// A trace or a workload, by what it holds.
public struct FigureTrace: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// What recognises its file.
    public var digest: String
    /// What recognises its requests; nil in old results.
    public var contentDigest: String?
    /// What it was read as.
    public var format: String

    /// What is known by its content alone.
    init(name: String, contentDigest: String) {
        (self.name, digest, self.contentDigest, format) = (name, contentDigest, contentDigest, "")
    }

    init(_ trace: TraceDescription) {
        (name, digest, contentDigest, format) = (trace.name, trace.digest, trace.contentDigest, trace.format)
    }

    /// The digest that places carry.
    var placeDigest: String { contentDigest ?? digest }
}
