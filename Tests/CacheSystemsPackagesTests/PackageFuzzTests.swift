import CacheSystems
import CacheSystemsPackages
import Foundation
import Testing
import _CacheTestSupport

@Suite("Whatever bytes a package has, reading it ends", .timeLimit(.minutes(60)))
struct PackageFuzzTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test func `archives and manifests`() throws {
        let directory = try TemporaryDirectory()
        let manifest = """
            http://a.example/x ; \(Self.date) ; \(Self.date) ; text/html ; one
            http://a.example/y ; NULL ; Fri, 31 Dec 9999 23:59:59 GMT ; NULL ; dir/two
            """
        let whole = MadeZip(
            manifest: manifest,
            [
                .init("one", "1"), .init("dir/two", String(repeating: "2", count: 3_000)),
                .init(".userdata/.entries/one", "its own"), .init(".userdata/all", "all"),
            ])
        var false64 = whole
        false64.files[1].bytes = 0xFFFF_FFFF
        let first = MadeZip(manifest: "http://a.example/one ; \(Self.date)", [.init("a.example/one", "1")])
        let samples = [whole.data, false64.data, first.data]
        let fuzzer = Fuzzer(
            "packages", samples: samples,
            fragments: [
                "PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "PK\u{6}\u{6}", "../", "\\", " ; ", "NULL", Self.date,
            ])
        let path = directory.path + "/package.zip"
        try fuzzer.run { bytes in
            try Data(bytes).write(to: URL(filePath: path))
            for skips in [true, false] {
                var options = PackageOptions()
                options.skipsUnusable = skips
                guard let package = try? CachePackage(path, options) else { continue }
                for entry in package.entries {
                    var count = 0
                    try? package.read(entry) { count += $0.count }
                    precondition(count <= entry.bytes)
                    _ = try? package.userData(of: entry)
                    _ = entry.description
                }
                for name in package.dataNames { _ = try? package.data(named: name) }
                _ = try? package.verify()
            }
        }
    }
}
