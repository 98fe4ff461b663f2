internal import CacheConformance
internal import CacheSystems

// How fields are read: what is malformed makes nothing fresher.
extension HTTPChecks {
    private static func control(_ rule: String, _ value: String, _ seen: HTTPStep.Seen) -> HTTPRow {
        second(rule, ["Cache-Control": value], seen)
    }

    private static func spelled(_ name: String) -> HTTPRow {
        var fields = HTTPFields()
        fields.add(name, "\"a\"")
        return HTTPRow(
            name,
            [HTTPStep(.whole, gives: fields), HTTPStep(.confirming, after: 1, asks: ["If-None-Match": "\"a\""])])
    }

    static let parsing = [
        table(
            "HTC-6", "Cache-Control is read as a list of directives, not as a text in which words are looked for.",
            "Finds searches for \"max-age=\".",
            [
                control("the end of another name", "x-max-age=100", .whole),
                control("in a quoted text", "x=\"max-age=100\"", .whole),
                control("in a quoted text with a comma", "x=\"a, max-age=100\"", .whole),
                control("behind an escaped quote", "x=\"\\\", max-age=100\"", .whole),
                control("no-store in a quoted text", "x=\"no-store\", max-age=100", .nothing),
                control("no-cache as the name of a field", "x=\"no-cache\", max-age=100", .nothing),
                second(
                    "private for a field called no-store", [.private],
                    ["Cache-Control": "private=\"no-store\", max-age=100"], .nothing),
            ]),
        table(
            "HTC-7", "Directives have any case, tokens or quoted texts for arguments, and may be on several lines.",
            "Finds narrow parsers, and those that take what is malformed for fresh.",
            [
                control("upper case", "MAX-AGE=100", .nothing),
                control("mixed case of no-store", "max-age=100, No-Store", .whole),
                control("quoted", "max-age=\"100\"", .nothing),
                control("among unknown ones", "foo, bar=1, max-age=100, baz=\"x\"", .nothing),
                control("empty members", ", ,max-age=100,", .nothing),
                second("two lines", ["Cache-Control": "public", "Cache-Control": "max-age=100"], .nothing),
                second(
                    "no-store on another line", ["Cache-Control": "max-age=100", "Cache-Control": "no-store"], .whole),
                control("twice the same", "max-age=100, max-age=100", .nothing),
                control("two different ones are stale", "max-age=100, max-age=200", .whole),
                control("no number", "max-age=abc", .whole),
                control("letters behind a number", "max-age=100a", .whole),
                control("letters before a number", "max-age=a100", .whole),
                control("single quotes", "max-age='100'", .whole),
                control("a space before the argument", "max-age= 100", .whole),
                control("a negative number", "max-age=-100", .whole),
                control("a fraction", "max-age=100.5", .whole),
                control("nothing", "max-age=", .whole),
                control("no argument", "max-age", .whole),
                control("spaces around the sign", "max-age = 100", .whole),
                control("a quote that does not end", "max-age=\"100", .whole),
                control("leading zeros", "max-age=000100", .nothing),
                second("not even where Expires is good", ["Cache-Control": "max-age=abc", "Expires": "@100"], .whole),
            ]),
        table(
            "HTC-8", "Dates are read in the three formats of the standard; what is in none of them is past.",
            "Finds lenient parsers: a date that was not understood makes nothing fresh.",
            [
                second("RFC 850", ["Expires": "Friday, 31-Dec-49 23:59:59 GMT"], .nothing),
                second("asctime", ["Expires": "Fri Dec 31 23:59:59 2049"], .nothing),
                second("asctime with a short day", ["Expires": "Wed Dec  1 23:59:59 2049"], .nothing),
                second("the usual one", ["Expires": "Fri, 31 Dec 2049 23:59:59 GMT"], .nothing),
                second("a day in another case", ["Expires": "FRI, 31 Dec 2049 23:59:59 GMT"], .nothing),
                second("a month in another case", ["Expires": "Fri, 31 dEC 2049 23:59:59 GMT"], .nothing),
                second("GMT in another case", ["Expires": "Fri, 31 Dec 2049 23:59:59 gmt"], .nothing),
                second("several spaces", ["Expires": "Fri, 31 Dec  2049 23:59:59 GMT"], .whole),
                second("dashes in the usual one", ["Expires": "Fri, 31-Dec-2049 23:59:59 GMT"], .whole),
                second("points in the time", ["Expires": "Fri, 31 Dec 2049 23.59.59 GMT"], .whole),
                second("0", ["Expires": "0"], .whole),
                second("-1", ["Expires": "-1"], .whole),
                second("a text", ["Expires": "never"], .whole),
                second("empty", ["Expires": ""], .whole),
                second("another zone", ["Expires": "Fri, 31 Dec 2049 23:59:59 EST"], .whole),
                second("UTC", ["Expires": "Fri, 31 Dec 2049 23:59:59 UTC"], .whole),
                second("a numeric zone", ["Expires": "Fri, 31 Dec 2049 23:59:59 +0000"], .whole),
                second("no zone", ["Expires": "Fri, 31 Dec 2049 23:59:59"], .whole),
                second("no comma", ["Expires": "Fri 31 Dec 2049 23:59:59 GMT"], .whole),
                second("a short hour", ["Expires": "Fri, 31 Dec 2049 3:59:59 GMT"], .whole),
                second("a year of two digits", ["Expires": "Fri, 31 Dec 49 23:59:59 GMT"], .whole),
                second("an hour that there is not", ["Expires": "Fri, 31 Dec 2049 24:59:59 GMT"], .whole),
                second("the day of a month as a name", ["Expires": "31 Dec 2049 23:59:59 GMT"], .whole),
                second("ISO 8601", ["Expires": "2049-12-31T23:59:59Z"], .whole),
                second("the first of two", ["Expires": "0", "Expires": "Fri, 31 Dec 2049 23:59:59 GMT"], .whole),
            ]),
        table(
            "HTC-9", "Names of fields are compared without regard to case.",
            "Finds look-ups of \"Etag\" in a table of names as they were spelled.",
            [
                spelled("eTaG"), spelled("ETag"), spelled("Etag"),
                second("cache-control", ["cache-control": "max-age=100"], .nothing),
                second("EXPIRES", ["EXPIRES": "@100"], .nothing),
                second("last-modified", ["last-modified": "@-1", "cache-control": "max-age=0"], .confirming),
                HTTPRow(
                    "vary",
                    [
                        HTTPStep(.whole, ["accept": "a"], gives: fresh(100, ["VARY": "Accept"])),
                        HTTPStep(.whole, ["ACCEPT": "b"], gives: fresh(100, ["VARY": "Accept"])),
                    ]),
            ]),
    ]
}
