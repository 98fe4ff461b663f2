public import CacheCore
public import CacheGate
internal import Mustache

/// `report.html`: charts and tables of a run in one file that opens from disk, without a network.
///
/// The page's policy for contents forbids every load; charts are SVG, drawn here; the script adds sorting, hiding of
/// curves, nearest values, themes and downloads, and the page reads well without it.
public enum HTMLReport {
    /// `advice.html`: advice in the same kind of page.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number or a template is damaged.
    public static func render(_ results: AdviceResults) throws(AssayError) -> String {
        try HTMLPage.render(results.document(.init()))
    }

    /// Verdicts on histories in the same kind of page, each fault with a timeline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number or a template is damaged.
    public static func render(_ results: HistoryResults) throws(AssayError) -> String {
        try HTMLPage.render(results.document(.init()))
    }

    /// What a conformance suite found in the same kind of page, each failure with its reproducers.
    ///
    /// - Throws: `AssayError` with code `internalError` if a template is damaged.
    public static func render(_ findings: ConformanceFindings) throws(AssayError) -> String {
        try HTMLPage.render(findings.document(.init()))
    }

    /// `bench.html`: a bench in the same kind of page.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number or a template is damaged.
    public static func render(_ results: BenchResults) throws(AssayError) -> String {
        try page(
            BenchPageBuilder(results).model(
                css: text(PackageResources.report_css), script: text(PackageResources.report_js)))
    }

    /// What a trace holds, in the same kind of page.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number or a template is damaged.
    public static func render(_ profile: TraceProfile) throws(AssayError) -> String {
        try HTMLPage.render(profile.document(.init()))
    }

    /// `systems.html`: what systems did under their workloads, in the same kind of page.
    ///
    /// - Throws: `AssayError` with code `internalError` if a figure is not a finite number or a template is damaged.
    public static func render(_ results: SystemResults) throws(AssayError) -> String {
        try page(
            SystemPageBuilder(results).model(
                css: text(PackageResources.report_css), script: text(PackageResources.report_js)))
    }

    /// Figures over commits in the same kind of page, with the commits at which they changed.
    ///
    /// - Throws: `AssayError` with code `internalError` if a template is damaged.
    public static func render(
        _ history: FigureHistory, assayVersion: String, commandLine: [String]
    ) throws(AssayError) -> String {
        let report = FigureHistoryReport(history, assayVersion: assayVersion, commandLine: commandLine)
        return try HTMLPage.render(report.document(.init()))
    }

    private static func page(_ model: PageModel) throws(AssayError) -> String {
        guard let page = try library().render(model, withTemplate: "page") else {
            throw AssayError(.internalError, "The template of the report is missing.")
        }
        return page
    }

    private static func library() throws(AssayError) -> MustacheLibrary {
        MustacheContentTypes.register(ReportText(), named: "ASSAY")
        do {
            var library = MustacheLibrary()
            try library.register(text(PackageResources.page_mustache), named: "page")
            try library.register(text(PackageResources.card_mustache), named: "card")
            try library.register(text(PackageResources.definitions_mustache), named: "definitions")
            try library.register(text(PackageResources.curve_definitions_mustache), named: "curve-definitions")
            try library.register(text(PackageResources.bench_definitions_mustache), named: "bench-definitions")
            try library.register(text(PackageResources.system_definitions_mustache), named: "system-definitions")
            return library
        } catch {
            throw AssayError(.internalError, "A template of the report is damaged.", cause: "\(error)")
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Escapes by scalars: the engine's own escape works on characters and misses a quote that a combining mark follows.
private struct ReportText: MustacheContentType {
    func escapeText(_ text: String) -> String { XMLText.escaped(text) }
}

extension HTMLReport {
    /// A document as one page.
    ///
    /// - Throws: `AssayError` with code `internalError` if the files for download cannot be packed.
    public static func render(_ document: ReportDocument) throws(AssayError) -> String { try HTMLPage.render(document) }
}
