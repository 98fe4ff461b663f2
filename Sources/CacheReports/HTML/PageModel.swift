/// What the page's template is filled with. Text is escaped by the template; names that end with `HTML` are markup.
struct PageModel {
    var title: String
    var subtitle: String
    var assayVersion: String
    var css: String
    var script: String
    var banners: [Banner]
    var tiles: [Tile]
    var navigation: [Link]
    var failuresHTML: String?
    var winnersHTML: String?
    var winnersNote: String
    var legend: [LegendItem]
    var hasLegend: Bool
    /// What the swatches of curves show.
    var symbolsHTML = ""
    var sections: [TraceSection]
    var tracesHTML: String
    var policiesHTML: String?
    var command: String
    var environment: [Pair]
    var filesBase64: String
    var downloads: [Download]
    /// Whether the page shows curves alone rather than a run.
    var isCurve: Bool
    /// Whether the page shows advice rather than a run.
    var isAdvice = false
    /// Whether the page shows verdicts on histories, which have no traces and depend on no machine.
    var isHistory = false
    /// Whether the page shows what a conformance suite found, which depends on no machine either.
    var isConformance = false
    /// Whether the page shows what a trace holds, which depends on no machine either.
    var isTraceInfo = false
    /// Whether the page shows figures over commits, of other runs than this one.
    var isFigureHistory = false
    /// The table of these verdicts.
    var verdictsHTML: String?
    /// Whether the page shows a bench rather than a run.
    var isBench = false
    /// Whether the page shows systems under workloads of their own, which are no traces.
    var isSystems = false
    /// Whether the page shows a run.
    var isRun: Bool

    /// A remark above everything else.
    struct Banner {
        var kind: String
        var text: String
    }

    /// A file that the page carries.
    struct Download {
        var file: String
        var label: String
    }

    /// One headline figure.
    struct Tile {
        var kind: String
        var name: String
        var figure: String
        var detail: String
    }

    /// A link to a section of the page.
    struct Link {
        var id: String
        var title: String
    }

    /// One curve in the legend, which shows and hides it.
    struct LegendItem {
        var id: String
        var label: String
        var swatchHTML: String
    }

    /// A name with a value.
    struct Pair {
        var name: String
        var value: String
    }

    /// One trace with its charts.
    struct TraceSection {
        var id: String
        var title: String
        var facts: String
        var cards: [Card]
        var hasLiveCards: Bool
        var liveTitle: String
        var liveCards: [Card]
        var tables: [Fold]
    }

    /// One chart with its table.
    struct Card {
        var title: String
        var note: String
        var chartHTML: String
        var keyHTML: String?
        var tableTitle: String?
        var tableHTML: String?
    }

    /// A table that opens on demand.
    struct Fold {
        var title: String
        var tableHTML: String
        var isOpen = false
    }
}
