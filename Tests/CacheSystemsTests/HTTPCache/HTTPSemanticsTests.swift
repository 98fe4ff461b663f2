import CacheCore
import CacheSystems
import Foundation
import Testing

@Suite("Addresses, fields and dates of HTTP")
struct HTTPSemanticsTests {
    private static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter
    }

    /// Moments of the Gregorian calendar up to the year 9857, and the days around those at which calendars go wrong.
    private static let moments: [Int64] = {
        var random = SeededGenerator(seed: 7)
        let edges: [Int64] = [
            0, -1, 951_782_400, 951_868_799, 4_107_542_400, -2_203_891_200, 68_169_599, 1_709_164_800,
        ]
        return edges + (0..<2000).map { _ in Int64(random.next(below: 260_000_000_000)) - 11_000_000_000 }
    }()

    @Test func `dates are written and read as another calendar has them`() {
        let formatter = Self.formatter("EEE, dd MMM yyyy HH:mm:ss 'GMT'")
        for moment in Self.moments {
            let text = formatter.string(from: Date(timeIntervalSince1970: Double(moment)))
            #expect(HTTPDate.text(of: moment) == text)
            #expect(HTTPDate.seconds(of: text, now: 0) == moment)
            #expect(HTTPDate.seconds(of: text.uppercased(), now: 0) == moment)
        }
    }

    @Test func `the older formats name the same moments`() {
        let asctime = Self.formatter("EEE MMM dd HH:mm:ss yyyy")
        let padded = Self.formatter("EEE MMM  d HH:mm:ss yyyy")
        let spelled = Self.formatter("EEEE, dd-MMM-yy HH:mm:ss 'GMT'")
        for moment in Self.moments {
            let date = Date(timeIntervalSince1970: Double(moment))
            let text = asctime.string(from: date)
            #expect(HTTPDate.seconds(of: text, now: 0) == moment)
            if Array(text)[8] == "0" { #expect(HTTPDate.seconds(of: padded.string(from: date), now: 0) == moment) }
            #expect(HTTPDate.seconds(of: spelled.string(from: date), now: moment) == moment)
        }
        // Fifty years ahead at most.
        #expect(HTTPDate.seconds(of: "Thursday, 01-Jan-70 00:00:00 GMT", now: 0) == 0)
        #expect(HTTPDate.seconds(of: "Saturday, 01-Jan-00 00:00:00 GMT", now: 1_700_000_000) == 946_684_800)
        #expect(HTTPDate.seconds(of: "Friday, 01-Jan-99 00:00:00 GMT", now: 1_700_000_000) == 915_148_800)
    }

    @Test(arguments: [
        ("http://Example.ORG", "http://example.org/"), ("HTTPS://example.org:443/a", "https://example.org/a"),
        ("http://example.org:8080/a?b#c", "http://example.org:8080/a?b"),
        ("http://u:p@example.org/", "http://example.org/"),
        ("http://example.org/a/../b/./c", "http://example.org/b/c"),
        ("http://example.org/../..", "http://example.org/"),
        ("http://example.org/%7euser/%2f%3A", "http://example.org/~user/%2F%3A"),
        ("http://example.org?q", "http://example.org/?q"),
        ("http://[::1]:80/x", "http://[::1]/x"), ("http://example.org/ü b", "http://example.org/%C3%BC%20b"),
        ("http://example.org/a//b/", "http://example.org/a//b/"), ("http://example.org:/a", "http://example.org/a"),
        ("http://example.org/100%", "http://example.org/100%"),
    ])
    func `an address has one spelling`(_ text: String, _ spelling: String) {
        #expect(HTTPURL(text)?.description == spelling)
        #expect(HTTPURL(spelling)?.description == spelling)
    }

    @Test(arguments: [
        "", "example.org", "/a", "ftp://example.org/", "http:///a", "http://example.org:x/", "http:example.org",
    ])
    func `what is no address of a web server is none`(_ text: String) { #expect(HTTPURL(text) == nil) }

    /// RFC 3986 §5.4, without its schemes.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), (";x", "/b/c/;x"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../../g", "/g"), ("/./g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"),
        ("./../g", "/b/g"), ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"),
    ])
    func `references are resolved`(_ reference: String, _ target: String) throws {
        let base = try #require(HTTPURL("http://a/b/c/d;p?q"))
        #expect(base.resolving(reference)?.description == "http://a" + target)
    }

    @Test func `references to elsewhere are resolved, and those that lead to no web server are not`() throws {
        let base = try #require(HTTPURL("https://a/b"))
        #expect(base.resolving("//g/x")?.description == "https://g/x")
        #expect(base.resolving("http://g")?.description == "http://g/")
        #expect(base.resolving("mailto:x@y") == nil)
        #expect(base.resolving("x:y/z") == nil)
    }

    @Test func `fields keep their order and their lines, and compare names of ASCII without case`() {
        var fields: HTTPFields = ["A": "1", "b": " 2 ", "a": "3"]
        #expect(fields["a"] == "1, 3" && fields["B"] == "2" && fields["c"] == nil)
        #expect(fields.values(of: "A") == ["1", "3"])
        fields["a"] = "4"
        #expect(fields.lines.map(\.name) == ["b", "a"])
        fields.add("K\u{212A}", "x")
        fields.add("evil", "x\r\nSet-Cookie: y")
        fields.add("two words", "x")
        #expect(fields.lines.count == 2)
        fields["b"] = nil
        #expect(fields.lines.map(\.value) == ["4"])
    }
}
