internal import CacheSystems
internal import Foundation

/// Freshness as AFCache 0.13 computed it (RFC 2616 §13.2.3), with its departures.
enum LegacyFreshness {
    /// Ages and lifetimes by the formula; no heuristic, and nothing of what forbids use.
    static func isFresh(_ entry: LegacyHTTPCacheFiles.Entry, at now: Int64) -> Bool {
        let second = 1_000_000_000.0
        let received = Double(entry.responseNanoseconds) / second
        let date = date(entry, "Date") ?? received.rounded(.down)
        let delay = received - Double(entry.requestNanoseconds) / second
        guard delay >= 0 else { return false }
        let stated = field(entry, "Age").flatMap { Double($0) } ?? 0
        let age = max(max(0, received.rounded(.down) - date), stated) + delay + Double(now) / second - received
        return lifetime(entry, date) > age
    }

    private static func lifetime(_ entry: LegacyHTTPCacheFiles.Entry, _ date: Double) -> Double {
        // A search for a text, wherever it stands.
        if let control = field(entry, "Cache-Control"), let found = control.range(of: "max-age=") {
            return Double(control[found.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        // The result of Pragma is overwritten by any Cache-Control.
        if field(entry, "Cache-Control") == nil, field(entry, "Pragma")?.contains("no-cache") == true { return 0 }
        return self.date(entry, "Expires").map { $0 - date } ?? 0
    }

    /// A date is always sent, that of the download if the origin gave none.
    static func addConditions(_ request: inout CheckedHTTPRequest, _ entry: LegacyHTTPCacheFiles.Entry) {
        let downloaded = HTTPDate.text(of: entry.responseNanoseconds / 1_000_000_000)
        request.fields["If-Modified-Since"] = field(entry, "Last-Modified") ?? downloaded
        // The name is looked up in this spelling alone.
        if let tag = entry.fields.lines.first(where: { $0.name == "Etag" })?.value {
            request.fields["If-None-Match"] = tag
        }
    }

    private static func field(_ entry: LegacyHTTPCacheFiles.Entry, _ name: String) -> String? { entry.fields[name] }

    private static func date(_ entry: LegacyHTTPCacheFiles.Entry, _ name: String) -> Double? {
        field(entry, name).flatMap { HTTPDate.seconds(of: $0, now: entry.responseNanoseconds / 1_000_000_000) }.map(
            Double.init)
    }
}
