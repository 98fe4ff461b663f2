internal import CacheCore
internal import CacheEngine
internal import CacheHarness
internal import CacheSystems
internal import Synchronization

/// A web site with pages, the files that they are made of, data in several languages, and advertisements: what it says of each resource,
/// and what is in it at a moment.
///
/// Contents follow from resource, language and revision, which they begin with: so every byte of an answer can be verified.
struct PageSite: Sendable {
    /// What is at an address.
    enum Kind {
        /// A page: fresh for a while, then confirmed; may be served while it is.
        case page
        /// A page for one person.
        case personalPage
        /// A file whose address changes with it.
        case asset
        /// A file that is fresh for a day and can be confirmed.
        case image
        /// A file of which only the date of its last change is said.
        case undatedFile
        /// Data that differ by language.
        case feed
        /// What must not be stored.
        case advertisement
    }

    let setup: SystemRunSetup
    let pages: Int
    let assets: Int
    private let changeSeconds: Int
    private let pageFields: String
    /// The moment that counts as zero, in seconds since 1970.
    static let epochSeconds: Int64 = 1_800_000_000
    static let languages = ["en", "de", "fr", "ja"]

    init(_ setup: SystemRunSetup) {
        self.setup = setup
        pages = setup.scaled("objects")
        assets = setup.scaled("assets")
        changeSeconds = setup.values.integer("change-seconds")
        let (fresh, window) = (setup.values.integer("page-max-age"), setup.values.integer("page-revalidate-window"))
        pageFields = "max-age=\(fresh)" + (window > 0 ? ", stale-while-revalidate=\(window)" : "")
    }

    /// The resources of one visit to a page, in the order in which a browser asks for them.
    func resources(ofPage page: Int) -> [Int] {
        let files = (0..<setup.values.integer("assets-per-page")).map { place -> Int in
            // Some files are part of nearly every page, most of few.
            let drawn = setup.drawn(0x66_696C_65, page * 64 + place)
            return pages + min(assets - 1, Int(Double(assets) * drawn * drawn))
        }
        return [page] + files + [pages + assets + page, 2 * pages + assets + page]
    }

    func kind(of resource: Int) -> Kind {
        if resource < pages {
            return setup.drawn(0x7072_6976, resource) < setup.values.number("personal-share") ? .personalPage : .page
        }
        if resource < pages + assets {
            let drawn = setup.drawn(0x6B_696E_64, resource)
            return drawn < 0.5 ? .asset : drawn < 0.85 ? .image : .undatedFile
        }
        return resource < 2 * pages + assets ? .feed : .advertisement
    }

    static func address(of resource: Int) -> HTTPURL { HTTPURL("https://site.example/r/\(resource)")! }

    /// The revision of a resource at a moment, and when it began, in seconds since the epoch.
    func revision(of resource: Int, at seconds: Int64) -> (number: Int, since: Int64) {
        let period: Int64
        switch kind(of: resource) {
        case .asset: return (0, 0)
        case .page, .personalPage: period = Int64(changeSeconds)
        case .image, .undatedFile: period = Int64(changeSeconds) * 100
        case .feed, .advertisement: period = max(1, Int64(changeSeconds) / 10)
        }
        let shifted = seconds + Int64(Double(period) * setup.drawn(0x7265_76, resource))
        return (Int(shifted / period), shifted / period * period - (shifted - seconds))
    }

    func content(_ resource: Int, revision: Int, language: Int) -> Payload {
        let language = kind(of: resource) == .feed ? language : 0
        return Payload(
            id: ObjectID(resource), version: UInt32(truncatingIfNeeded: revision << 2 | language),
            count: setup.drawnSize(resource))
    }

    /// What the site says of a resource beside its content.
    func fields(_ resource: Int, at seconds: Int64, language: Int) -> HTTPFields {
        let (revision, since) = revision(of: resource, at: seconds)
        var fields: HTTPFields = ["Date": HTTPDate.text(of: Self.epochSeconds + seconds)]
        let tag = "\"\(resource)-\(revision)-\(language)\""
        func validated(_ control: String) {
            fields["Cache-Control"] = control
            fields["ETag"] = tag
        }
        switch kind(of: resource) {
        case .page: validated(pageFields)
        case .personalPage: validated("private, " + pageFields)
        case .asset: fields["Cache-Control"] = "max-age=31536000, immutable"
        case .image: validated("max-age=86400")
        case .undatedFile: fields["Last-Modified"] = HTTPDate.text(of: Self.epochSeconds + since)
        case .feed:
            validated("max-age=30")
            fields["Vary"] = "Accept-Language"
        case .advertisement: fields["Cache-Control"] = "no-store"
        }
        return fields
    }

    static func language(of fields: HTTPFields) -> Int {
        fields["Accept-Language"].flatMap { languages.firstIndex(of: $0) } ?? 0
    }
}

/// The server of a site.
struct SiteServer: HTTPOrigin {
    let site: PageSite
    let source: SimulatedOrigin
    let clock: VirtualClock

    /// The moment since the epoch, in nanoseconds.
    var now: Int64 { clock.wallNanoseconds() - PageSite.epochSeconds * 1_000_000_000 }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let seconds = now / 1_000_000_000
        guard let resource = Int(request.url.path.dropFirst("/r/".count)) else { return HTTPResponse(404) }
        let language = PageSite.language(of: request.fields)
        var fields = site.fields(resource, at: seconds, language: language)
        let isKnown =
            fields["ETag"].map { request.fields["If-None-Match"]?.contains($0) ?? false }
            ?? fields["Last-Modified"].map { $0 == request.fields["If-Modified-Since"] } ?? false
        if isKnown {
            try source.ask(bytes: 0, at: now)
            return HTTPResponse(304, fields: fields)
        }
        let content = site.content(
            resource, revision: site.revision(of: resource, at: seconds).number, language: language)
        try source.ask(bytes: content.count, at: now)
        fields["Content-Length"] = "\(content.count)"
        return HTTPResponse(200, fields: fields, body: HTTPBody(content.bytes()))
    }
}
