internal import CacheConformance
internal import CacheSystems

// Confirming what is stored, and what clients have (RFC 9111 §4.3).
extension HTTPChecks {
    private static let tag: HTTPFields = ["ETag": "\"a\""]

    static let validation = [
        table(
            "HTC-16", "A 304 updates the fields that are stored, and what it is about is fresh again.",
            "Fields that come take the place of all lines of their name; those that describe the stored body stay.",
            [
                HTTPRow(
                    "a new lifetime",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)), HTTPStep(.confirming, after: 2, gives: fresh(100, tag)),
                        HTTPStep(.nothing, after: 50),
                    ]),
                HTTPRow(
                    "the old lifetime, from now on",
                    [
                        HTTPStep(.whole, gives: fresh(10, tag)), HTTPStep(.confirming, after: 20, gives: tag),
                        HTTPStep(.nothing, after: 9),
                    ]),
                HTTPRow(
                    "fields",
                    [
                        HTTPStep(
                            .whole,
                            gives: fresh(
                                1, ["ETag": "\"a\"", "X-A": "1", "X-A": "2", "X-B": "3", "Content-Type": "text/plain"])),
                        HTTPStep(
                            .confirming, after: 2, gives: fresh(100, ["ETag": "\"a\"", "X-A": "4", "X-C": "5"]),
                            has: ["X-A": "4", "X-B": "3", "X-C": "5", "Content-Type": "text/plain"]),
                        HTTPStep(.nothing, has: ["X-A": "4", "X-B": "3", "X-C": "5"]),
                    ]),
                HTTPRow(
                    "several lines of a name are kept",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.confirming, after: 2, gives: fresh(100, ["X-A": "a=1", "X-A": "b=2"])),
                        HTTPStep(.nothing, has: ["X-A": "a=1, b=2"]),
                    ]),
                HTTPRow(
                    "not the length of the body, nor its coding",
                    [
                        HTTPStep(
                            .whole, gives: fresh(1, ["ETag": "\"a\"", "Content-Length": "8", "Content-Encoding": "x"])),
                        HTTPStep(
                            .confirming, after: 2, gives: fresh(100, ["Content-Length": "0", "Content-Encoding": "y"]),
                            has: ["Content-Length": "8", "Content-Encoding": "x"]),
                    ]),
                HTTPRow(
                    "an Age is that of its answer",
                    [
                        HTTPStep(.whole, gives: fresh(10, ["ETag": "\"a\"", "Age": "9"])),
                        HTTPStep(.confirming, after: 2, gives: tag), HTTPStep(.nothing, after: 5, has: ["Age": "5"]),
                    ]),
                HTTPRow(
                    "one that forbids storing it further is asked about again",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.confirming, after: 2, gives: ["Cache-Control": "no-cache"]),
                        HTTPStep(.confirming, gives: tag),
                    ]),
            ]),
        table(
            "HTC-17", "What is stale is asked for with the validators that it has, and with no others.",
            "Tags in any spelling of theirs, dates as they came. What has none is asked for plainly.",
            [
                HTTPRow(
                    "neither",
                    [
                        HTTPStep(.whole, gives: fresh(0)),
                        HTTPStep(.whole, after: 1, omits: ["If-None-Match", "If-Modified-Since"]),
                    ]),
                HTTPRow(
                    "a tag",
                    [
                        HTTPStep(.whole, gives: tag),
                        HTTPStep(
                            .confirming, after: 1, gives: tag, asks: ["If-None-Match": "\"a\""],
                            omits: ["If-Modified-Since"]),
                    ]),
                HTTPRow(
                    "a weak tag",
                    [
                        HTTPStep(.whole, gives: ["ETag": "W/\"a\""]),
                        HTTPStep(.confirming, after: 1, asks: ["If-None-Match": "W/\"a\""]),
                    ]),
                HTTPRow(
                    "a date",
                    [
                        HTTPStep(
                            .whole,
                            gives: [
                                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Cache-Control": "max-age=0",
                            ]),
                        HTTPStep(
                            .confirming, after: 1, asks: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"],
                            omits: ["If-None-Match"]),
                    ]),
                HTTPRow(
                    "both",
                    [
                        HTTPStep(
                            .whole,
                            gives: fresh(
                                0, ["ETag": "\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])),
                        HTTPStep(
                            .confirming, after: 1,
                            asks: [
                                "If-None-Match": "\"a\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
                            ]),
                    ]),
            ]),
        table(
            "HTC-18", "An answer that is not a 304 takes the place of what is stored, as a whole.",
            "Its fields too. One that may not be stored leaves nothing.",
            [
                HTTPRow(
                    "another",
                    [
                        HTTPStep(.whole, gives: fresh(1, ["ETag": "\"a\"", "X-A": "1"])),
                        HTTPStep(.changed, after: 2, gives: fresh(100, ["ETag": "\"b\""])),
                        HTTPStep(.nothing, has: ["ETag": "\"b\""], lacks: ["X-A"]),
                    ]),
                HTTPRow(
                    "one that is not to be stored",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.changed, after: 2, gives: ["Cache-Control": "no-store"]),
                        HTTPStep(.whole),
                    ]),
                HTTPRow(
                    "it is gone",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.changed, after: 2, status: 404, gives: fresh(100)),
                        HTTPStep(.nothing, answers: 404),
                    ]),
                HTTPRow(
                    "parts of it stay as they were: none",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag), body: "a longer one"),
                        HTTPStep(.changed, after: 2, gives: fresh(100), body: "short"), HTTPStep(.nothing),
                    ]),
            ]),
        table(
            "HTC-19", "A client that has what is stored is told so, by a 304 without content.",
            "By tags, weakly compared, or else by date. Finds caches that pass conditions on, or answer them with the whole.",
            [
                HTTPRow(
                    "its tag",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["ETag": "\"a\"", "Content-Length": "8"])),
                        HTTPStep(
                            .nothing, ["If-None-Match": "\"a\""], answers: 304, has: ["ETag": "\"a\""],
                            lacks: ["Content-Length"]),
                    ]),
                HTTPRow(
                    "among others",
                    [
                        HTTPStep(.whole, gives: fresh(100, tag)),
                        HTTPStep(.nothing, ["If-None-Match": "\"x\", W/\"a\", \"y\""], answers: 304),
                    ]),
                HTTPRow(
                    "any",
                    [
                        HTTPStep(.whole, gives: fresh(100, tag)),
                        HTTPStep(.nothing, ["If-None-Match": "*"], answers: 304),
                    ]),
                HTTPRow(
                    "another tag",
                    [HTTPStep(.whole, gives: fresh(100, tag)), HTTPStep(.nothing, ["If-None-Match": "\"x\""])]),
                HTTPRow(
                    "a tag without quotes",
                    [HTTPStep(.whole, gives: fresh(100, tag)), HTTPStep(.nothing, ["If-None-Match": "a"])]),
                HTTPRow(
                    "a tag counts, not the date beside it",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["ETag": "\"a\"", "Last-Modified": "@-10"])),
                        HTTPStep(.nothing, ["If-None-Match": "\"x\"", "If-Modified-Since": "@0"]),
                    ]),
                HTTPRow(
                    "its date",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Last-Modified": "@-10"])),
                        HTTPStep(.nothing, ["If-Modified-Since": "@-5"], answers: 304),
                    ]),
                HTTPRow(
                    "an earlier date",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Last-Modified": "@-10"])),
                        HTTPStep(.nothing, ["If-Modified-Since": "@-15"]),
                    ]),
                HTTPRow(
                    "no date",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["Last-Modified": "@-10"])),
                        HTTPStep(.nothing, ["If-Modified-Since": "yesterday"]),
                    ]),
                HTTPRow(
                    "when it is stale, once it is confirmed",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(
                            .confirming, after: 2, ["If-None-Match": "\"a\""], gives: fresh(100, tag), answers: 304),
                        HTTPStep(.nothing),
                    ]),
                HTTPRow(
                    "when it has changed",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.changed, after: 2, ["If-None-Match": "\"a\""], gives: fresh(100, ["ETag": "\"b\""])),
                        HTTPStep(.nothing),
                    ]),
                HTTPRow(
                    "when it is stale and cannot be confirmed, all of it is asked for",
                    [
                        HTTPStep(.whole, gives: fresh(1)),
                        HTTPStep(
                            .whole, after: 2, ["If-None-Match": "\"b\"", "Range": "bytes=0-1"],
                            gives: fresh(100, ["ETag": "\"b\""]), answers: 304, omits: ["If-None-Match", "Range"]),
                        HTTPStep(.nothing, content: "answer 2"),
                    ]),
                HTTPRow(
                    "where nothing is stored, all of it is asked for and stored",
                    [
                        HTTPStep(
                            .whole, ["If-None-Match": "\"a\""], gives: fresh(100, tag), answers: 304,
                            omits: ["If-None-Match"]),
                        HTTPStep(.nothing),
                    ]),
            ]),
        table(
            "HTC-20",
            "HEAD is answered from what GET has stored, and an answer of an origin to it says what has become of that.",
            "RFC 9111 §4.3.5. What it describes is updated; what it does not is confirmed before it is served again.",
            [
                HTTPRow(
                    "from a stored answer",
                    [
                        HTTPStep(.whole, gives: fresh(100, ["X-A": "1"])),
                        HTTPStep(.nothing, method: "HEAD", has: ["X-A": "1"]),
                    ]),
                HTTPRow(
                    "where nothing is stored, all of it is asked for and stored",
                    [HTTPStep(.whole, method: "HEAD", gives: fresh(100)), HTTPStep(.nothing)]),
                HTTPRow(
                    "it updates",
                    [
                        HTTPStep(.whole, gives: fresh(1, ["ETag": "\"a\"", "X-A": "1"])),
                        HTTPStep(.whole, after: 2, method: "HEAD", gives: fresh(100, ["ETag": "\"a\"", "X-A": "2"])),
                        HTTPStep(.nothing, has: ["X-A": "2"], content: "answer 1"),
                    ]),
                HTTPRow(
                    "it tells of another version",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.whole, after: 2, method: "HEAD", gives: fresh(100, ["ETag": "\"b\""])),
                        HTTPStep(.changed, ["Cache-Control": "max-stale"], gives: fresh(100)),
                    ]),
                HTTPRow(
                    "it tells of another length",
                    [
                        HTTPStep(.whole, gives: fresh(1, tag)),
                        HTTPStep(.whole, after: 2, method: "HEAD", gives: fresh(100, ["Content-Length": "77"])),
                        HTTPStep(.changed, ["Cache-Control": "max-stale"], gives: fresh(100)),
                    ]),
            ]),
    ]
}
