import CacheCore
import Foundation
import Synchronization
import Testing

@testable import AssayCommand

/// Servers of public traces break off, move files and replace them; a trace that is not the published one gives figures of something else.
@Suite("assay sweep fetch: public traces by a manifest")
struct SweepFetchTests {
    private static let trace = (0..<400).map { "\($0 % 37)\n" }.joined()
    private static let middle = trace.utf8.count / 2

    /// A server with one behaviour for each first folder of a path, which notes what it is asked for.
    private final class Origin: Sendable {
        let requests = Mutex<[String]>([])

        func answer(_ request: String) -> (text: String, ends: Bool)? {
            let path = request.split(separator: " ").dropFirst().first ?? ""
            let behaviour = path.split(separator: "/").first ?? ""
            let range = request.firstMatch(of: /(?i)range: bytes=(\d+)-/).flatMap { Int($0.output.1) }
            let count = requests.withLock { requests in
                requests.append("\(behaviour) \(range.map(String.init) ?? "whole")")
                return requests.count { $0.hasPrefix("\(behaviour) ") }
            }
            let trace = SweepFetchTests.trace
            func whole(_ body: String, _ tag: String = "v1", sent: Int? = nil) -> String {
                "HTTP/1.1 200 OK\r\nETag: \"\(tag)\"\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
                    + String(decoding: body.utf8.prefix(sent ?? body.utf8.count), as: UTF8.self)
            }
            func part(_ body: String, from start: Int) -> String {
                "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes \(start)-\(body.utf8.count - 1)/\(body.utf8.count)\r\n"
                    + "Content-Length: \(body.utf8.count - start)\r\nConnection: close\r\n\r\n"
                    + String(decoding: body.utf8.dropFirst(start), as: UTF8.self)
            }
            switch behaviour {
            case "plain": return (whole(trace), true)
            case "moved": return ("HTTP/1.1 302 Found\r\nLocation: /plain/a.txt\r\nContent-Length: 0\r\n\r\n", true)
            case "circle": return ("HTTP/1.1 302 Found\r\nLocation: /circle/a.txt\r\nContent-Length: 0\r\n\r\n", true)
            // Breaks off in the middle at first, and then goes on.
            case "breaks":
                return range.map { (part(trace, from: $0), true) } ?? (whole(trace, sent: SweepFetchTests.middle), true)
            case "rangeless": return (whole(trace, sent: count == 1 ? SweepFetchTests.middle : nil), true)
            // The file is replaced while it is fetched: of the new version whole, as If-Range asks.
            case "replaced":
                return count == 1
                    ? (whole("0\n" + trace, "v0", sent: SweepFetchTests.middle), true) : (whole(trace), true)
            // Goes on in the middle of another file, whatever it is asked.
            case "mixed":
                let other = "9" + trace.dropFirst()
                if let range { return (part(other, from: range), true) }
                return (count == 1 ? whole(other, sent: SweepFetchTests.middle) : whole(trace), true)
            case "hangs": return (whole(trace, sent: SweepFetchTests.middle), false)
            case "endless":
                return ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + trace + trace, true)
            case "busy":
                return count == 1 ? ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", true) : (whole(trace), true)
            default: return ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", true)
            }
        }
    }

    private struct Place {
        let assay: AssayProcess
        let origin = Origin()
        let server: LocalServer

        init(_ behaviour: String, digest: String? = nil, bytes: String? = nil) throws {
            assay = try AssayProcess()
            let origin = origin
            server = try LocalServer { origin.answer($0) }
            let sha256 = digest ?? SHA256.hexadecimal(of: SweepFetchTests.trace.utf8)
            try assay.write(
                "m.yaml",
                """
                description: Traces of a test.
                corpora:
                  - name: small
                    licence: CC0
                    source: this test
                    format: lirs
                    base: http://127.0.0.1:\(server.port)/\(behaviour)/
                    files:
                      - {name: a.txt, bytes: \(bytes ?? "\(SweepFetchTests.trace.utf8.count)"), sha256: \(sha256)}
                """)
        }

        func fetch(_ options: String...) throws -> AssayProcess.Result {
            try assay.run(AssayProcess.executable, ["sweep", "fetch", "m.yaml", "--quiet"] + options)
        }

        var asked: [String] { origin.requests.withLock { $0 } }
        var files: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: assay.path("traces/small"))) ?? []).sorted()
        }
        var isWhole: Bool { (try? assay.read("traces/small/a.txt")) == SweepFetchTests.trace && files == ["a.txt"] }
    }

    @Test func `a trace is fetched, verified and compiled, and then left alone`() throws {
        let place = try Place("plain")
        let listed = try place.fetch("--list")
        #expect(listed.status == 0 && listed.output.contains("small/a.txt") && listed.output.contains("licence: CC0"))
        let first = try place.fetch()
        #expect(first.status == 0 && place.isWhole, "\(first.errors)")
        #expect(first.output.contains("fetched, verified; 400 requests for 37 objects"), "\(first.output)")
        let again = try place.fetch("small/*")
        #expect(again.status == 0 && again.output.contains("there already") && place.asked == ["plain whole"])
        // What is compiled is known to the plan, which need not guess from sizes.
        let planned = try place.assay.run(
            "sweep", "plan", "--trace", "traces/small/a.txt", "--format", "lirs", "--policy", "lru", "--capacity", "10",
            "--out", "s")
        let traces = try #require(try place.assay.json("s/plan.json")["traces"] as? [[String: Any]])
        #expect(planned.status == 0 && traces.first?["basis"] as? String == "stated")
        try place.assay.write("traces/small/a.txt", Self.trace + "1\n")
        let changed = try place.fetch()
        #expect(
            changed.status == 65 && changed.errors.contains("another file than the manifest's"), "\(changed.errors)")
        #expect(try place.fetch("large").status == 64)
    }

    @Test(arguments: [
        ("breaks", ["breaks whole", "breaks \(middle)"]), ("moved", ["moved whole", "plain whole"]),
        ("rangeless", ["rangeless whole", "rangeless \(middle)", "rangeless whole"]),
        ("replaced", ["replaced whole", "replaced \(middle)", "replaced whole"]),
        ("mixed", ["mixed whole", "mixed \(middle)", "mixed whole"]), ("busy", ["busy whole", "busy whole"]),
    ])
    func `what breaks off goes on, or is begun again where it cannot`(_ behaviour: String, _ asked: [String]) throws {
        let place = try Place(behaviour)
        let result = try place.fetch("--retries", "1")
        #expect(result.status == 0 && place.isWhole, "\(result.output)\(result.errors)")
        #expect(place.asked == asked)
    }

    @Test func `what an attempt before left is gone on with`() throws {
        let place = try Place("breaks")
        let broken = try place.fetch("--retries", "0")
        #expect(broken.status == 69 && broken.errors.contains("goes on where it broke off"), "\(broken.errors)")
        #expect(place.files == ["a.txt.part", "a.txt.part.version"])
        let result = try place.fetch("--retries", "0")
        #expect(result.status == 0 && place.isWhole && place.asked == ["breaks whole", "breaks \(Self.middle)"])
        #expect(result.output.contains("fetched from byte \(Self.middle) on, verified"), "\(result.output)")
    }

    @Test func `a server that falls silent is given up after the deadline, and what it sent is kept`() throws {
        let place = try Place("hangs")
        let result = try place.fetch("--deadline", "1", "--retries", "0")
        #expect(result.status == 69 && place.files.contains("a.txt.part"), "\(result.errors)")
    }

    @Test func `another file than the manifest's is not kept`() throws {
        let wrong = try Place("plain", digest: String(repeating: "a", count: 64))
        let result = try wrong.fetch()
        #expect(
            result.status == 65 && result.errors.contains("its SHA-256 is ") && wrong.files == [], "\(result.errors)")
        let long = try Place("endless")
        let longer = try long.fetch()
        #expect(
            longer.status == 65 && longer.errors.contains("longer than the") && long.files == [], "\(longer.errors)")
        let short = try Place("plain", bytes: "\(Self.trace.utf8.count + 1)")
        #expect(try short.fetch("--retries", "0").status == 65)
        for behaviour in ["missing", "circle"] {
            let place = try Place(behaviour)
            #expect(try place.fetch().status == 69 && place.files == [])
        }
    }

    @Test func `a file whose checksum nobody states is taken on request alone`() throws {
        let place = try Place("breaks", digest: "unknown", bytes: "unknown")
        let refused = try place.fetch()
        #expect(
            refused.status == 64 && refused.errors.contains("--unverified") && place.asked == [], "\(refused.errors)")
        let taken = try place.fetch("--unverified", "--retries", "1")
        #expect(taken.status == 0 && place.isWhole && taken.output.contains("not verified"), "\(taken.errors)")
    }

    @Test func `manifests that would write elsewhere or are incomplete are refused with their line`() throws {
        let place = try Place("plain")
        let good = try place.assay.read("m.yaml")
        for (old, new, words) in [
            ("a.txt", "../a.txt", "is no name of a file"), ("name: small", "name: .ssh", "is no name of a file"),
            ("http:", "file:", "begins with http:// or https://"), ("sha256: ", "sha256: 1", "64 digits"),
            ("licence: CC0", "terms: CC0", "licence"), ("bytes: ", "bytes: -", "length of the file"),
        ] {
            try place.assay.write("m.yaml", good.replacing(old, with: new, maxReplacements: 1))
            let result = try place.fetch()
            #expect(result.status == 65 && result.errors.contains(words), "\(new): \(result.errors)")
        }
        let shipped = try place.assay.run("sweep", "fetch", "public", "lirs", "--list")
        #expect(shipped.status == 0 && shipped.output.contains("lirs/gli.trace.gz"), "\(shipped.errors)")
    }
}
