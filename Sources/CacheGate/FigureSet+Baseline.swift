public import CacheCore
public import Foundation

/// A baseline as text that merges: a line for each cell, sorted, with exact figures in one file and those that depend on the
/// machine in a file for each machine; no times and no dates.
extension FigureSet {
    /// The name of the file with exact figures.
    public static let baselineName = "baseline.jsonl"

    /// The files of a baseline with these figures.
    ///
    /// - Throws: `AssayError` with code `badInput` if a figure is not a finite number.
    public func baselineFiles() throws(AssayError) -> [(name: String, text: String)] {
        var files = [
            (Self.baselineName, try Self.text(nil, cells.map { ($0, $0.figures.filter { $0.kind == .exact }) }, source))
        ]
        for machine in Set(cells.flatMap { $0.counted.map(\.machine) }).sorted(by: { $0.description < $1.description })
        {
            let counted = cells.compactMap { cell in
                cell.counted.first { $0.machine == machine }.map { (cell, $0.figures) }
            }
            let name = "baseline-\(Self.digest(machine.description).prefix(8)).jsonl"
            files.append((name, try Self.text(machine, counted, source)))
        }
        return files
    }

    /// The figures in a file of a baseline; nil if the bytes are no such file.
    ///
    /// - Throws: `AssayError` with code `badInput` for a later version, and with the line for one that is damaged.
    public init?(baseline data: Data, from file: String) throws(AssayError) {
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, let head = try? JSONDecoder().decode(BaselineHead.self, from: Data(first)) else {
            return nil
        }
        guard head.assayBaseline <= BaselineHead.newestVersion else {
            throw AssayError(
                .badInput,
                "This baseline has version \(head.assayBaseline); this Assay reads up to \(BaselineHead.newestVersion). "
                    + "Use the Assay that wrote it.", at: .init(file))
        }
        self.init(source: file)
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            let read: BaselineLine
            do {
                read = try JSONDecoder().decode(BaselineLine.self, from: Data(line))
            } catch {
                throw AssayError(
                    .badInput,
                    "This line of the baseline is damaged. Restore it, or write it again with 'assay gate --update'.",
                    at: .init(file, line: index + 1), cause: (error as? DecodingError)?.inWords ?? "\(error)")
            }
            var cell = FigureCell(subject: read.subject, parameters: read.parameters, place: read.place)
            (cell.seed, cell.isWhole) = (read.seed, head.machine == nil)
            for (name, value) in read.figures.sorted(by: { $0.key < $1.key }) {
                let kind = FigureKinds.figure(name, value.value, of: cell.identity).kind
                guard kind == (head.machine == nil ? .exact : .counted) else {
                    throw AssayError(
                        .badInput, "'\(name)' does not belong in this file. Write it again with 'assay gate --update'.",
                        at: .init(file, line: index + 1))
                }
                cell.add(name, value.value, on: head.machine)
            }
            if let trace = read.place["trace"], let digest = read.place["trace-digest"] {
                add(FigureTrace(name: trace, contentDigest: digest))
            }
            try add(cell, from: file)
        }
    }

    private static func text(
        _ machine: Machine?, _ cells: [(FigureCell, [ResultFigure])], _ source: String
    ) throws(AssayError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let head = try encoder.encode(BaselineHead(assayBaseline: BaselineHead.newestVersion, machine: machine))
            let lines = try cells.map { cell, figures in
                let named = figures.map { ($0.name, PlainValue(value: $0.value)) }
                return try encoder.encode(
                    BaselineLine(
                        subject: cell.identity.subject, parameters: cell.identity.parameters,
                        place: cell.identity.place,
                        figures: Dictionary(named) { first, _ in first }, seed: cell.seed))
            }
            let texts = lines.map { String(decoding: $0, as: UTF8.self) }.sorted()
            return ([String(decoding: head, as: UTF8.self)] + texts).joined(separator: "\n") + "\n"
        } catch {
            throw AssayError(.badInput, "A figure is not a finite number. Record the results again.", at: .init(source))
        }
    }
}

/// The first line of a baseline.
private struct BaselineHead: Codable {
    static let newestVersion = 1

    var assayBaseline: Int
    /// The machine of the figures; nil where they depend on none.
    var machine: Machine?
}

/// One cell, as `["lru", "", {"trace": …}, {"hits": 503}, 1]`, so that what tells cells apart comes first.
private struct BaselineLine: Codable {
    var subject: String
    var parameters: String
    var place: [String: String]
    var figures: [String: PlainValue]
    var seed: UInt64?

    init(subject: String, parameters: String, place: [String: String], figures: [String: PlainValue], seed: UInt64?) {
        self.subject = subject
        self.parameters = parameters
        self.place = place
        self.figures = figures
        self.seed = seed
    }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        subject = try values.decode(String.self)
        parameters = try values.decode(String.self)
        place = try values.decode([String: String].self)
        figures = try values.decode([String: PlainValue].self)
        seed = try values.decode(UInt64?.self)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(subject)
        try values.encode(parameters)
        try values.encode(place)
        try values.encode(figures)
        try values.encode(seed)
    }
}

/// A value without a word for its kind.
private struct PlainValue: Codable {
    var value: ResultFigure.Value

    init(value: ResultFigure.Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let count = try? container.decode(Int.self) {
            value = .count(count)
        } else if let real = try? container.decode(Double.self) {
            value = .real(real)
        } else {
            value = .word(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .count(let count): try container.encode(count)
        case .real(let real): try container.encode(real)
        case .word(let word): try container.encode(word)
        }
    }
}
