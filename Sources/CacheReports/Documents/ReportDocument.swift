public import CacheCore

/// What results say, in the order in which a person reads it.
///
/// Each kind of results describes itself once, as a document, and every renderer draws any document: a page, a terminal, Markdown,
/// LaTeX, JSON. A document holds values and plain text, never markup.
public struct ReportDocument: Sendable {
    /// The headline.
    var title: String
    /// When, how long and where it was measured, in one line.
    var subtitle = ""
    /// The Assay version that recorded the results.
    var assayVersion: String
    /// What a reader wants to know first; nil where the results answer no single question.
    var answer: Answer?
    /// Whether a terminal prints the answer above the sections rather than below, where a long table would hide it.
    var answersFirst = false
    /// What must be known before the figures are read: interruptions, failures, warnings.
    var notices: [Notice] = []
    /// The few figures that stand out.
    var highlights: [Highlight] = []
    /// The curves that charts share, the best result first.
    var legend: [SeriesStyle] = []
    var sections: [Section] = []
    /// What a terminal says last: counts, times, how to read the marks.
    var closing: [String] = []
    /// What each term means.
    var definitions: [Definition] = []
    /// The arguments after `assay` that gave these results.
    var command: [String]
    /// What the same command gives again, in a sentence or two; text between backticks is code.
    var commandNote = ""
    /// Files that a page carries for download, by name, the one that people want first.
    var files: [AttachedFile] = []

    /// The question that the results were made for, with its answer in one sentence.
    struct Answer: Sendable {
        var question: String
        var sentence: String
        /// The figure behind the sentence, `50.30 %`.
        var figure: String
        /// What the figure is.
        var figureName: String
        /// How sure the answer is, and why.
        var certainty: String
        /// Whether the sentence has the figure already, so that running text does not repeat it.
        var saysFigure = false
    }

    /// How good a figure or a remark is.
    enum Tone: String, Sendable {
        case plain = ""
        case good, bad
        case warning = "warn"
    }

    /// A remark above everything else.
    struct Notice: Sendable {
        var tone: Tone
        var text: String
        /// Whether a chart has it as a caution, so that a page does not show it above everything else.
        var isBesideChart = false
    }

    /// One figure that stands out.
    struct Highlight: Sendable {
        var tone = Tone.plain
        var name: String
        var figure: String
        var detail: String
    }

    /// A part of the document under a heading of its own.
    struct Section: Sendable {
        /// Letters, digits and `-`: the fragment of a link to it.
        var id: String
        var title: String
        /// The heading as a list of sections shows it; nil for the heading itself.
        var shortTitle: String?
        /// What the section is about, in one line.
        var lead = ""
        var blocks: [Block]
        /// Whether its charts have the curves of the document's legend.
        var showsCurves = false
        /// Whether a terminal prints its texts, its pairs and those tables that have columns for it.
        var isOnTerminal = false
    }

    /// A piece of a section.
    enum Block: Sendable {
        /// A heading within the section.
        case heading(String)
        case text(String)
        case chart(ChartBlock)
        case table(TableBlock)
        /// Names with values.
        case pairs([Pair])
        case code(CodeBlock)
        case heat(HeatMap)
        case costs(CostView)
    }

    /// A chart with what is drawn as a table.
    struct ChartBlock: Sendable {
        var title: String
        var note = ""
        /// What lessens the worth of these figures and of no others, a sentence each.
        var cautions: [String] = []
        var chart: any ReportChart
        /// What the colours mean; empty where the legend or the labels say it.
        var key: [KeyItem] = []
        var table: DataTable?
        /// The heading of the table.
        var tableTitle = "Table"
    }

    /// What one colour means.
    struct KeyItem: Sendable {
        /// The class of the colour; empty for a remark without one.
        var colourClass: String
        var text: String
    }

    /// A table, as it is or folded under a heading.
    struct TableBlock: Sendable {
        /// The heading that opens it; nil for a table that always stands open.
        var title: String?
        var isOpen = true
        var table: DataTable
    }

    /// A name with its value.
    struct Pair: Sendable {
        var name: String
        var value: String
    }

    /// Lines to copy: a command or a program.
    struct CodeBlock: Sendable {
        /// The heading that opens it; nil for lines that always stand open.
        var title: String?
        var isOpen = true
        var text: String
    }

    /// Ratios of rows and columns by colour: policies on traces, each at one of several capacities.
    struct HeatMap: Sendable {
        var title: String
        var note = ""
        /// What a row is.
        var rowTitle: String
        var rows: [String]
        var columns: [String]
        /// What may be chosen, `1%`, each with a ratio from 0 to 1 a row and column; nil where there is none. Never empty.
        var views: [(name: String, values: [[Double?]])]
    }

    /// What each choice costs by prices that the reader sets.
    struct CostView: Sendable {
        var title: String
        /// The requests that the misses are counted of.
        var requests: Int
        /// Choices with the bytes that each takes and the misses that it has.
        var rows: [(label: String, series: SeriesStyle?, bytes: Int, misses: Int)]
    }

    /// A term with its meaning; text between backticks is code.
    struct Definition: Sendable {
        var term: String
        var meaning: String

        init(_ term: String, _ meaning: String) {
            self.term = term
            self.meaning = meaning
        }
    }

    /// A file that a page carries.
    struct AttachedFile: Sendable {
        /// The button's text: `CSV`.
        var label: String
        var name: String
        var text: String
    }
}

/// A picture of figures that draws itself as SVG.
protocol ReportChart: Sendable {
    /// What the chart shows, for screen readers.
    var title: String { get }
    /// The chart as an SVG element whose colours and fonts come from the page's style sheet.
    func svg() -> String
}

/// What a document can be made of.
public protocol Reportable: Sendable {
    /// What there is to say.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number; with code `usage` if an option does not
    ///   fit the results.
    func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument
}

extension Reportable {
    /// What there is to say, with nothing chosen.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number.
    public func document() throws(AssayError) -> ReportDocument { try document(ReportOptions()) }
}

/// What a reader may choose of a report.
public struct ReportOptions: Sendable {
    /// The policy that differences refer to; nil for `lru`, or `fifo` where that did not run.
    public var baselinePolicy: String?

    /// Options; those that are not given leave the choice to the report.
    public init(baselinePolicy: String? = nil) { self.baselinePolicy = baselinePolicy }

    /// Refuses a baseline policy for results of which no figure refers to one.
    func requireNoBaseline() throws(AssayError) {
        guard baselinePolicy != nil else { return }
        throw AssayError(
            .usage, "No figure of these results refers to a baseline policy. Leave the option out.",
            at: .init("--baseline-policy"))
    }
}

/// Results that are recorded as JSON, from which every report can be made again.
///
/// A kind of results is one file that conforms to this, and one line in ``ReportKinds``.
public protocol ReportedResults: Reportable, Codable {
    /// What files of this kind are called and who writes them.
    static var kind: ReportKind { get }
    /// Tidy tables of the results, by file name.
    func csv() -> [(name: String, text: String)]
    /// The files of the folder that the kind has, by file name.
    func files() -> [(name: String, text: String)]
}

extension ReportedResults {
    /// Nothing: most kinds have no folder.
    public func files() -> [(name: String, text: String)] { [] }
}

/// A kind of recorded results.
public struct ReportKind: Sendable {
    /// The command that writes them, `assay curve`.
    var command: String
    /// The recorded results, `curve.json`.
    public var json: String
    /// The page, `curve.html`.
    public var page: String
    /// The tables, of which those that some results lack are left out.
    public var csv: [String]
    /// A folder of further files beside the page; nil for none.
    var folder: String?
    /// The member that only the JSON of this kind has, beside `environment` and `commandLine`.
    var member: String
    /// The newest version of the JSON that can be read.
    var currentSchemaVersion: Int

    /// The names of all files, the recorded results first.
    public var fileNames: [String] { [json] + csv + [page] }
}
