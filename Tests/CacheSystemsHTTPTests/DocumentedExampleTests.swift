import CacheSystems
import CacheSystemsHTTP
import Foundation
import Testing
import _CacheTestSupport

@Suite("The example of the documentation works", .timeLimit(.minutes(30)))
struct DocumentedExampleTests {
    @Test func `the example is the one that is tested`() throws {
        let root = SharedFolder.packageRoot
        let article = "Sources/CacheSystemsHTTP/CacheSystemsHTTP.docc/CacheSystemsHTTP.md"
        let text = try String(contentsOf: root.appending(path: article), encoding: .utf8)
        let code = try String(
            contentsOf: root.appending(path: "Tests/CacheSystemsHTTPTests/SharedPagesExample.swift"), encoding: .utf8)
        #expect(text.contains("```swift\n\(code)```"))
    }

    @Test func `pages are shared by all clients`() async throws {
        let directory = try TemporaryDirectory()
        let origin = try await ScriptedOrigin(answer(200, "Cache-Control: max-age=100", body: "page"))
        let pages = try await SharedPages(
            before: HTTPURL("http://127.0.0.1:\(origin.port)")!, directory: directory.path)
        let port = try #require(pages.proxy.address.split(separator: ":").last.flatMap { Int($0) })
        for _ in 0..<2 {
            let wire = try await Wire.connect(port)
            try await wire.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await wire.answer()?.text == "page")
        }
        try await pages.stop()
        await origin.stop()
        #expect(origin.requests.count == 1)
    }
}
