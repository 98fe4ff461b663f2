import Foundation
import Testing

@Suite("assay-dev measure-…: what the scripts measure with")
struct MeasureCommandTests {
    private static let trace = (0..<3000).map { "\(($0 * $0) % 97)\n" }.joined()
    /// As memory passes are started.
    private static let counting = ["LD_PRELOAD": "libjemalloc.so.2", "MALLOC_CONF": "tcache:false"]

    @Test func `bytes, allocations and leaks of known size are measured exactly`() throws {
        let assay = try AssayProcess(AssayProcess.developers, environment: Self.counting)
        try assay.write("short.txt", Self.trace)
        let result = try assay.run("measure-proof", "--trace", "short.txt", "--memory")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("true   ratio 1.0  (exactly 1)") })
    }

    @Test func `without jemalloc the proof says what is missing`() throws {
        let assay = try AssayProcess(AssayProcess.developers, environment: ["LD_PRELOAD": ""])
        try assay.write("short.txt", Self.trace)
        let result = try assay.run("measure-proof", "--trace", "short.txt", "--memory")
        #expect(result.status == 69 && result.errors.contains("libjemalloc"))
    }

    @Test(arguments: [
        ("dictionary", "lru"), ("slab", "fifo"), ("file", "sieve"), ("dictionary", "clock"), ("slab", "w-tinylfu"),
    ])
    func `a short soak ends as it began`(_ backend: String, _ policy: String) throws {
        let assay = try AssayProcess(AssayProcess.developers, environment: Self.counting)
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "measure-soak", "--trace", "short.txt", "--backend", backend, "--policy", policy, "--capacity", "20",
            "--threads", "2",
            "--removals", "5%", "--before", "0.2", "--seconds", "0.2")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("file descriptors") && result.output.contains("bytes allocated when cleared"))
    }

    @Test func `a peer's figures are JSON, and an unknown one is named`() throws {
        let assay = try AssayProcess(AssayProcess.developers)
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "measure-peer", "--subject", "engine", "--trace", "short.txt", "--capacity", "20", "--requests", "3000")
        #expect(result.status == 0, "\(result.errors)")
        let figures = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        #expect(figures?["requests"] as? Int == 3000 && figures?["entries"] as? Int == 20)
        let unknown = try assay.run("measure-peer", "--subject", "other", "--trace", "short.txt")
        #expect(unknown.status == 64 && unknown.errors.contains("other"))
    }
}
