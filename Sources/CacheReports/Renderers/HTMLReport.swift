internal import CEmbeddedFiles
public import CacheCore
internal import Foundation

/// Documents as pages.
public enum HTMLReport {
    /// A document as one page.
    ///
    /// - Throws: `AssayError` with code `internalError` if the files for download cannot be packed.
    public static func render(_ document: ReportDocument) throws(AssayError) -> String { try HTMLPage.render(document) }
}

/// Draws a document as one HTML file that opens from disk, without a network.
///
/// The page's policy for contents forbids every load; charts are SVG, drawn here; the script adds sorting, hiding of curves,
/// nearest values, themes and downloads, and the page reads well without it.
struct HTMLPage {
    let document: ReportDocument
    private var html = XMLText()

    init(_ document: ReportDocument) { self.document = document }

    /// The whole page.
    ///
    /// - Throws: `AssayError` with code `internalError` if the files for download cannot be packed.
    static func render(_ document: ReportDocument) throws(AssayError) -> String {
        var page = HTMLPage(document)
        try page.draw()
        return page.html.text
    }

    private mutating func draw() throws(AssayError) {
        html.line("<!DOCTYPE html>\n<html lang=\"en\">")
        head()
        html.line("<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>")
        top()
        html.line("<main id=\"main\">")
        answer()
        for notice in document.notices where !notice.isBesideChart {
            html.element("p", [("class", "banner \(notice.tone.rawValue)"), ("role", "status")], notice.text)
        }
        highlights()
        sections()
        again()
        definitions()
        html.close("main")
        html.element(
            "footer", [], "Written by Assay \(document.assayVersion). This page loads nothing from anywhere.")
        html.line("<div id=\"tip\" role=\"tooltip\" hidden></div>")
        let files = try Self.packed(document.files)
        html.line("<script type=\"application/gzip;base64\" id=\"files\">\(files)</script>")
        html.line("<script>\n\(embedded_report_js().text)\n</script>\n</body>\n</html>")
    }

    private mutating func head() {
        html.line(
            """
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src \
            'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            """)
        html.line("<meta name=\"generator\" content=\"Assay \(XMLText.escaped(document.assayVersion))\">")
        html.element("title", [], "\(document.title) · Assay")
        html.line("<link rel=\"icon\" href=\"data:,\">\n<style>\n\(embedded_report_css().text)\n</style>")
        // Before the page is drawn, so that a dark one does not flash.
        html.line(
            """
            <script>
            (() => {
              const find = (text) => new URLSearchParams(text.slice(1)).get("theme");
              const theme = find(location.hash) || find(location.search);
              if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
            })();
            </script>
            </head>
            """)
    }

    private mutating func top() {
        html.line(
            """
            <header class="top">
            <div class="bar"><span class="brand">Assay <span>cache benchmark</span></span>
            <div class="tools" hidden>
            <div class="themes" role="group" aria-label="Theme"><button type="button" data-theme-choice="auto">Auto</button>\
            <button type="button" data-theme-choice="light">Light</button><button type="button" \
            data-theme-choice="dark">Dark</button></div>
            """)
        for file in document.files {
            html.element("button", [("type", "button"), ("data-download", file.name)], file.label)
        }
        html.line("</div></div>")
        html.element("h1", [], document.title)
        html.element("p", [("class", "sub")], document.subtitle)
        html.open("nav", [("aria-label", "Sections")])
        let links =
            document.sections.map { ($0.id, $0.shortTitle ?? $0.title) } + [
                ("again", "Run it again"), ("definitions", "Definitions"),
            ]
        for (id, title) in links { html.element("a", [("href", "#\(id)")], title) }
        html.line("</nav>\n</header>")
    }

    private mutating func answer() {
        guard let answer = document.answer else { return }
        html.open("section", [("class", "answer"), ("aria-label", "Answer")])
        html.element("p", [("class", "question")], answer.question)
        html.element("p", [("class", "says")], answer.sentence)
        html.line(
            "<p class=\"figure\"><strong>\(XMLText.escaped(answer.figure))</strong> \(XMLText.escaped(answer.figureName))</p>"
        )
        html.element("p", [("class", "sure")], answer.certainty)
        html.close("section")
    }

    private mutating func highlights() {
        guard !document.highlights.isEmpty else { return }
        html.open("section", [("class", "tiles"), ("aria-label", "Headline figures")])
        for tile in document.highlights {
            html.open("div", [("class", "tile \(tile.tone.rawValue)")])
            html.element("h2", [], tile.name)
            html.element("strong", [], tile.figure)
            html.element("p", [], tile.detail)
            html.close("div")
        }
        html.close("section")
    }

    // MARK: - Sections

    /// Sections in their order; those with curves are together, beneath the legend.
    private mutating func sections() {
        html.line(SeriesStyle.symbols(document.legend))
        var isAmongCurves = false
        for section in document.sections {
            if section.showsCurves, !isAmongCurves {
                html.open("div", [("class", "curves")])
                legend()
            } else if !section.showsCurves, isAmongCurves {
                html.close("div")
            }
            isAmongCurves = section.showsCurves
            html.open("section", [("id", section.id)] + (section.showsCurves ? [("class", "trace")] : []))
            html.element("h2", [], section.title)
            if !section.lead.isEmpty { html.element("p", [("class", "lead")], section.lead) }
            html.line(HTMLBlocks.html(section.blocks))
            html.close("section")
        }
        if isAmongCurves { html.close("div") }
    }

    private mutating func legend() {
        guard document.legend.count > 1 else { return }
        html.line("<div class=\"legend\" role=\"group\" aria-label=\"Curves, press to show or hide\"><div>")
        for style in document.legend {
            html.line(
                "<button type=\"button\" class=\"chip\" data-series=\"\(style.id)\" aria-pressed=\"true\">\(style.swatch)"
                    + "\(XMLText.escaped(style.label))</button>")
        }
        html.line("<button type=\"button\" class=\"chip all\" data-all hidden>Show all</button></div></div>")
    }

    private mutating func again() {
        html.line("<section id=\"again\"><h2>Run it again</h2>")
        if !document.commandNote.isEmpty {
            html.line("<p class=\"lead\">\(HTMLBlocks.withCode(document.commandNote))</p>")
        }
        html.line(HTMLBlocks.html(.init(text: ShellText.command(document.command))))
        html.close("section")
    }

    private mutating func definitions() {
        html.line("<section id=\"definitions\"><h2>Definitions</h2><dl class=\"terms\">")
        for definition in document.definitions {
            let meaning = HTMLBlocks.withCode(definition.meaning)
            html.line("<div><dt>\(XMLText.escaped(definition.term))</dt><dd>\(meaning)</dd></div>")
        }
        html.line("</dl></section>")
    }

    /// Files for download: an object of texts in JSON, by gzip, in base64.
    private static func packed(_ files: [ReportDocument.AttachedFile]) throws(AssayError) -> String {
        let texts = Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }
        guard let data = try? JSONSerialization.data(withJSONObject: texts, options: [.sortedKeys]),
            let packed = Gzip.packed(data)
        else { throw AssayError(.internalError, "The results cannot be embedded in the page.") }
        return packed.base64EncodedString()
    }
}
