import Foundation
import Testing
import _CacheTestSupport

@Suite("--subject: caches of other processes under load, and what stores refuse")
struct SubjectUnderLoadTests {
    private static let adapters = SharedFolder.packageRoot.appending(path: "Sources/CacheKits/python").path
    private static let trace = (0..<600).map { "\(($0 * $0) % 97)\n" }.joined()

    /// A cache of least recent use in Python, over the reference adapter.
    private static let cache = """
        import os, sys
        sys.dont_write_bytecode = True
        sys.path.insert(0, os.environ["ADAPTERS"])
        from assay_subject import MappingCache, STORE, serve
        class LRU(MappingCache):
            def __init__(self, directory=None, capacity=None, time_to_idle=None, now=None):
                self.room = (capacity or {"amount": 7})["amount"]
            def get(self, key):
                if key not in self.entries: return None
                self.entries[key] = value = self.entries.pop(key)
                return value
            def put(self, key, value, **terms):
                self.entries.pop(key, None)
                if len(self.entries) >= self.room: del self.entries[next(iter(self.entries))]
                self.entries[key] = value
        claims = {"storage": dict(STORE, retains=False), "features": []}
        if "bounded" in sys.argv:
            claims["room"] = {"capacity": {"amount": 7, "unit": "objects"}, "isAdjustable": True, "units": ["objects"],
                              "isStrict": True}
        if "dies" in sys.argv: LRU.get = lambda self, key: os._exit(3)
        serve(LRU, "lru 1.0", claims)
        """

    private static func assayWithCache() throws -> AssayProcess {
        let assay = try AssayProcess(environment: ["ADAPTERS": adapters])
        try assay.write("lru.py", cache)
        try assay.write("short.txt", trace)
        return assay
    }

    private static func hits(_ cell: [String: Any]?) -> Int? { (cell?["counts"] as? [String: Any])?["hits"] as? Int }

    @Test func `a cache in Python hits what its policy hits in a simulation, in run and in bench`() throws {
        let assay = try Self.assayWithCache()
        let subject = "exec:exec python3 lru.py bounded"
        let bench = try assay.run(
            "bench", "--trace", "short.txt", "--subject", subject, "--capacity", "20", "--out", "bench")
        #expect(bench.status == 0, "\(bench.errors)")
        #expect(bench.output.contains("memory is not measured"), "\(bench.output)")
        let run = try assay.run(
            "run", "--trace", "short.txt", "--policy", "lru", "--simulate", "--subject", subject, "--capacity", "20",
            "--out", "run")
        #expect(run.status == 0, "\(run.errors)")
        let cells = try #require(try assay.json("run/results.json")["cells"] as? [[String: Any]])
        #expect(cells.count == 2)
        let simulated = try #require(Self.hits(cells.first))
        #expect(simulated > 0 && Self.hits(cells.last) == simulated)
        let loaded = try #require((try assay.json("bench/bench.json")["subjects"] as? [[String: Any]])?.first)
        let cell = try #require(loaded["cell"] as? [String: Any])
        #expect(Self.hits(cell) == simulated && cell["memory"] == nil)
        #expect(cell["requestsPerSecond"] as? Double ?? 0 > 0)
        let operations = ((loaded["timing"] as? [String: Any])?["latency"] as? [[String: Any]])?.count ?? 0
        #expect(operations >= 3)
    }

    @Test
    func `a cache without a claim of room is told, one that dies has crashed, and one that is not there is refused`()
        throws
    {
        let assay = try Self.assayWithCache()
        let free = try assay.run(
            "run", "--trace", "short.txt", "--subject", "exec:exec python3 lru.py", "--out", "free")
        #expect(free.status == 0 && free.output.contains("claims no capacity"), "\(free.errors)")
        let cells = try #require(try assay.json("free/results.json")["cells"] as? [[String: Any]])
        #expect(cells.count == 1 && cells[0]["capacityRequested"] as? String == "none")
        let dead = try assay.run(
            "bench", "--trace", "short.txt", "--subject", "exec:exec python3 lru.py dies", "--out", "dead")
        #expect(dead.status == 3 && dead.errors.contains("ended with status 3"), "\(dead.errors)")
        let absent = try assay.run(
            "bench", "--trace", "short.txt", "--subject", "exec:/nowhere/cache", "--out", "absent")
        #expect(absent.status == 69 && absent.errors.contains("/nowhere/cache"), "\(absent.errors)")
    }

    @Test func `a value above the store's limit is a miss that is told`() throws {
        let assay = try AssayProcess()
        let sizes = (0..<400).map { "\($0 % 7),\($0 % 7 == 3 ? 3000 : 100)\n" }.joined()
        try assay.write("sizes.csv", sizes)
        let bench = try assay.run(
            "bench", "--trace", "sizes.csv", "--format", "csv:key=1,size=2", "--backend",
            "dictionary:value-bytes-max=1000", "--capacity", "10", "--out", "out")
        #expect(bench.status == 0, "\(bench.errors)")
        #expect(bench.output.contains("57 stores were refused"), "\(bench.output)")
        let subject = (try assay.json("out/bench.json")["subjects"] as? [[String: Any]])?.first
        // Six objects miss once; the seventh misses each of its 57 times.
        #expect(Self.hits(subject?["cell"] as? [String: Any]) == 400 - 6 - 57)
    }

    @Test func `figures that were not measured are not printed`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let bench = try assay.run("bench", "--trace", "short.txt", "--capacity", "20", "--out", "out")
        #expect(bench.status == 0 && bench.output.contains("not measured"), "\(bench.output)")
        let subject = try #require((try assay.json("out/bench.json")["subjects"] as? [[String: Any]])?.first)
        let latency = try #require((subject["timing"] as? [String: Any])?["latency"] as? [[String: Any]])
        for operation in latency {
            let distribution = try #require(operation["distribution"] as? [String: Any])
            let summary = try #require(distribution["summary"] as? [String: Any])
            let samples = try #require(summary["samples"] as? Int)
            // Of 600 calls each is timed.
            #expect(samples == summary["operations"] as? Int && samples > 0)
            #expect((summary["p50Nanoseconds"] != nil) == (samples >= 20))
            #expect((summary["p90Nanoseconds"] != nil) == (samples >= 100))
            #expect(summary["p99Nanoseconds"] == nil && distribution["p99999Nanoseconds"] == nil)
        }
        let rows = try assay.read("out/bench.csv").split(whereSeparator: \.isNewline)
        let names = rows[0].split(separator: ",")
        let p99 = try #require(names.firstIndex(of: "p99_nanoseconds"))
        for row in rows.dropFirst() {
            #expect(row.split(separator: ",", omittingEmptySubsequences: false)[p99].isEmpty)
        }
        let histogram = try assay.read("out/histograms/1-short-lru-dictionary-miss.hgrm")
        #expect(!histogram.contains(" 0.99") && histogram.contains("#[Max"))
    }
}
