import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

/// The same cache on a clock that it is given and on the system's, stopped and moved by libfaketime.
@Suite("Caches that ask the system for the time")
struct FakedClockTests {
    /// Caches whose entries live so many seconds, by the program that runs them. `own` asks the system; `given` the suite's clock.
    private static let programs = [
        "python3": """
        import sys, time
        sys.path.insert(0, sys.argv[1] + "/python"); sys.dont_write_bytecode = True
        from assay_subject import serve

        class Own:
            claims = {"limits": {"clockStepNanoseconds": 10**9}}
            def __init__(self): self.now, self.entries = time.monotonic, {}
            def live(self, key):
                if key in self.entries and self.entries[key][1] <= self.now(): del self.entries[key]
                return self.entries.get(key)
            def put(self, key, value, ttl=None):
                self.entries.pop(key, None)
                if ttl is None or ttl > 0: self.entries[key] = (value, float("inf") if ttl is None else self.now() + ttl / 1e9)
            def get(self, key): return (self.live(key) or (None,))[0]
            def contains(self, key): return self.live(key) is not None
            def remove(self, key): return self.live(key) is not None and self.entries.pop(key) is not None
            def removeAll(self): self.entries.clear()
            def keys(self): return [key for key in list(self.entries) if self.live(key)]
            def count(self): return len(self.keys())

        class Given(Own):
            def __init__(self, clock): self.now, self.entries = (lambda: clock() / 1e9), {}

        class Reads(Own):
            # A bug: each read begins the life anew.
            def get(self, key):
                if self.live(key): self.entries[key] = (self.entries[key][0], self.now() + 10)
                return super().get(key)

        class Stands(Own):
            def __init__(self): self.now, self.entries = (lambda: 0), {}

        class Loads(Own):
            claims = {"storage": {"isConcurrent": True}, **Own.claims}
            def load(self, key, origin):
                if self.get(key) is None: self.put(key, origin())
                return self.get(key)

        kinds = {"own": Own, "given": Given, "reads": Reads, "stands": Stands, "loads": Loads}
        serve(kinds[sys.argv[2]], "a dictionary in Python")
        """,
        "node": """
        const { serve } = require(process.argv[1] + '/node/assay-subject.js')
        class Own {
          static claims = { limits: { clockStepNanoseconds: 1000000 } }
          constructor({}) { this.now = () => performance.now(); this.entries = new Map() }
          live(key) {
            const found = this.entries.get(key)
            if (found && found.end <= this.now()) this.entries.delete(key)
            return this.entries.get(key)
          }
          put(key, value, { ttl }) {
            this.entries.delete(key)
            if (!(ttl <= 0)) this.entries.set(key, { value, end: ttl ? Math.round(this.now() + ttl / 1e6) : Infinity })
          }
          get(key) { const found = this.live(key); return found && found.value }
          contains(key) { return Boolean(this.live(key)) }
          remove(key) { return Boolean(this.live(key)) && this.entries.delete(key) }
          removeAll() { this.entries.clear() }
          keys() { return [...this.entries.keys()].filter(key => this.live(key)) }
          count() { return this.keys().length }
        }
        class Given extends Own { constructor({ clock }) { super({}); this.now = () => clock() / 1e6 } }
        class Reads extends Own {
          get(key) { const found = this.live(key); if (found) found.end = Math.round(this.now() + 10); return found && found.value }
        }
        class Stands extends Own { constructor({}) { super({}); this.now = () => 0 } }
        class Loads extends Own {
          static claims = { storage: { isConcurrent: true }, ...Own.claims }
          async load(key, origin) {
            if (!this.live(key)) this.put(key, await origin(), {})
            return this.get(key)
          }
        }
        const kinds = { own: Own, given: Given, reads: Reads, stands: Stands, loads: Loads }
        serve(kinds[process.argv[2]], 'a map in JavaScript')
        """,
    ]

    private static let isInstalled = (try? FakedClock()) != nil
    private static let tools = programs.keys.sorted().filter { tool in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
        }
    }

    private static func subject(_ tool: String, _ kind: String) throws -> ProcessSubject {
        let kits = SharedFolder.packageRoot.appending(path: "Sources/CacheKits").path
        let program = try #require(programs[tool]).replacing("'", with: "'\\''")
        let flag = tool == "node" ? "-e" : "-c"
        return ProcessSubject(
            command: "exec \(tool) \(flag) '\(program)' '\(kits)' \(kind)", answerSeconds: 1_800,
            clock: kind == "given" ? nil : try FakedClock())
    }

    private static let asked = [
        "TTL-1", "TTL-2", "TTL-3", "TTL-4", "TTL-6", "TTL-7", "TTL-9", "TTL-10", "TTL-11", "TTL-12", "TTL-16", "TTL-21",
        "BAS-1",
    ]

    private static func verdicts(_ subject: ProcessSubject) throws -> [String] {
        try asked.map { id in
            let outcome = try #require(ConformanceSuite.cache.check(id)).run(on: subject).outcome
            return outcome == .pass ? "\(id) pass" : "\(id) \(outcome.name): \(outcome.detail ?? "")"
        }
    }

    @Test(.enabled(if: isInstalled, "libfaketime is not installed"), arguments: tools)
    func `a faked clock gives the verdicts of one that is given`(tool: String) throws {
        let (own, given) = (try Self.subject(tool, "own"), try Self.subject(tool, "given"))
        #expect(try own.claims().claims(.timeToLive) && own.claims().deviates(.sharedClock))
        let expected = try Self.verdicts(given)
        #expect(try Self.verdicts(own) == expected)
        #expect(expected == Self.asked.map { "\($0) pass" })
    }

    /// A time to live that reads extend: lru-cache's updateAgeOnGet where it is not asked for.
    @Test(.enabled(if: isInstalled, "libfaketime is not installed"), arguments: tools)
    func `a bug with times is noticed on a faked clock`(tool: String) throws {
        let outcomes = try Self.verdicts(Self.subject(tool, "reads"))
        #expect(outcomes.contains { $0.hasPrefix("TTL-4 fail") }, "\(outcomes)")
    }

    /// A pause of the kits once ended early there, or never: a right cache failed LDR-26, and nobody's loads were shared.
    @Test(.enabled(if: isInstalled, "libfaketime is not installed"), arguments: tools)
    func `an origin takes its time on a clock that stands still`(tool: String) throws {
        let subject = try Self.subject(tool, "loads")
        for id in ["LDR-5", "LDR-26"] {
            let outcome = try #require(ConformanceSuite.cache.check(id)).run(on: subject).outcome
            // Threads that come late every time show nothing; where no load waits the check is blocked.
            #expect(outcome == .pass || outcome.name == "inconclusive", "\(id): \(outcome)")
        }
    }

    /// Go asks the kernel and not libc: what lives there would seem never to end.
    @Test(.enabled(if: isInstalled, "libfaketime is not installed"), arguments: tools)
    func `a clock that does not follow is refused`(tool: String) throws {
        let subject = try Self.subject(tool, "stands")
        let error = #expect(throws: AssayError.self) { try SubjectStart.check(subject) }
        #expect(error?.code == .unavailable && error?.message.contains("does not follow") == true, "\(error as Any)")
    }

    @Test(.enabled(if: isInstalled, "libfaketime is not installed"))
    func `a clock goes on to the nanosecond, and ends`() throws {
        let clock = try FakedClock()
        try clock.advance(nanoseconds: 7)
        let program = "import time; print(time.time_ns())"
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", clock.preamble + "exec python3 -c '\(program)'"]
        let output = Pipe()
        process.standardOutput = output
        if Self.tools.contains("python3") {
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(text == "86400000000007\n")
        }
        #expect(throws: StoreError.self) { try clock.advance(nanoseconds: .max) }
        #expect(throws: StoreError.self) { try clock.advance(nanoseconds: -1) }
        #expect(clock.now == 7)
    }
}
