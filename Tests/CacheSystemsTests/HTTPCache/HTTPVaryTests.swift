import CacheCore
import CacheEngine
import CacheSystems
import Testing
import _CacheTestSupport

/// Which requests are alike, as far as `Vary` tells them apart.
@Suite("HTTPCache: Vary")
struct HTTPVaryTests {
    /// Stores an answer that was chosen by all of these fields, and says whether it is for a request with others.
    private func matches(_ stored: HTTPFields, _ asked: HTTPFields) throws -> Bool {
        let directory = try TemporaryDirectory()
        let cache = try httpCache(in: directory.path, origin: FunctionOrigin { _, _ in throw Trouble() })
        var fields = lasting
        fields["Vary"] = "Accept, Accept-Encoding, Accept-Language, X-A"
        try cache.store(HTTPResponse(200, fields: fields), body: [1], for: get("/a", stored))
        let isThere = try cache.storedAnswer(for: get("/a", asked)) != nil
        try cache.close()
        return isThere
    }

    @Test(
        arguments: [
            (["Accept": "text/html, text/plain;q=0.5"], ["Accept": "Text/Plain ; q=0.5 ,text/HTML"]),
            (["Accept": "text/html"], ["Accept": "text/html,"]),
            (["Accept": "text/html;level=1, */*"], ["Accept": "*/*", "accept": "text/html; level=1"]),
            (["Accept": "a/b;c=\"d, e\", f/g"], ["Accept": "f/g", "Accept": "a/b; c=\"d, e\""]),
            (["Accept-Encoding": "gzip, br"], ["Accept-Encoding": "br", "Accept-Encoding": "GZIP"]),
            (["Accept-Language": "de;q=0.5, en"], ["Accept-Language": "en,de; q=0.5"]),
            (["X-A": "1, 2"], ["X-A": "1", "x-a": "2"]),
            (["X-A": "1,2"], ["X-A": " 1 ,\t2 "]),
        ] as [(HTTPFields, HTTPFields)])
    func `requests that mean the same are alike`(_ stored: HTTPFields, _ asked: HTTPFields) throws {
        #expect(try matches(stored, asked))
        #expect(try matches(asked, stored))
    }

    @Test(
        arguments: [
            (["Accept": "text/html;level=a"], ["Accept": "text/html;level=A"]),
            (["Accept": "a/b;c=\"d  e\""], ["Accept": "a/b;c=\"d e\""]),
            (["Accept": "a/b;c=\"d, e\""], ["Accept": "a/b;c=\"d\", e"]),
            (["Accept": "text/html, text/plain;q=0.5"], ["Accept": "text/html;q=0.5, text/plain"]),
            (["Accept-Encoding": "gzip"], ["Accept-Encoding": "gzip, br"]),
            (["Accept-Encoding": ""], [:]),
            (["X-A": "1, 2"], ["X-A": "2, 1"]),
            (["X-A": "a"], ["X-A": "A"]),
            (["X-A": "1 2"], ["X-A": "12"]),
        ] as [(HTTPFields, HTTPFields)])
    func `requests that may mean something else are not`(_ stored: HTTPFields, _ asked: HTTPFields) throws {
        #expect(try !matches(stored, asked))
        #expect(try !matches(asked, stored))
    }
}
