import CacheConformance
import CacheCore
import CacheKits
import CachePolicies
import Foundation
import Testing
import _CacheTestSupport

@Suite("Adapter kits, as they are written for an author")
struct AdapterKitTests {
    /// A new folder in which commands are run; removed at the end.
    private final class Place {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assay-kit-\(UUID().uuidString)").path

        init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Runs a command of the shell in the folder and returns its status.
        func run(_ command: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "cd '\(folder)' && \(command) >/dev/null 2>&1"]
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }

        /// The kit's skeleton as a subject, made by the commands that the author is told.
        func subject(_ kit: AdapterKit) throws -> ProcessSubject {
            let commands = try kit.write(to: "\(folder)/mine")
            for command in commands.dropLast() { #expect(try run(command) == 0, "\(command)") }
            let last = try #require(commands.last?.split(separator: "'").last)
            return ProcessSubject(
                command: "exec " + last.dropFirst("exec:".count), answerSeconds: 600, policies: BuiltinPolicies.all)
        }
    }

    private static func isInstalled(_ tool: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
        }
    }

    /// Kits whose tools this machine has. The one for Swift builds this whole package: what is its own is tested as `SubjectServer`.
    private static let installed = AdapterKit.all.filter { $0.language != "swift" && isInstalled($0.tool) }.map(
        \.language)

    /// Checks of what each kit does itself: keys as bytes, limits, life cycle, room and order, counts and lists.
    private static let due = [
        "BAS-1", "BAS-13", "KEY-6", "VAL-9", "CLR-1", "ITR-2", "LIF-1", "LIF-9", "CAP-1", "CAP-5", "POL-2",
    ]

    @Test(arguments: installed) func `what is written passes what it claims`(language: String) throws {
        let place = try Place()
        let subject = try place.subject(try AdapterKit.named(language))
        let claims = try subject.claims()
        #expect(claims.order == "lru" && claims.iterates && claims.room?.units == [.objects] && claims.features == [])
        for id in Self.due {
            let result = try #require(ConformanceSuite.cache.check(id)).run(on: subject)
            #expect(result.outcome == .pass, "\(language) \(id): \(result.outcome)")
        }
    }

    /// assay_subject.py once dropped half of the protocol without a word.
    @Test(arguments: installed) func `what the adapter does not have is answered unsupported`(language: String) throws {
        let place = try Place()
        let subject = try place.subject(try AdapterKit.named(language))
        let instance = try subject.open(CacheSetup(), in: nil)
        let key: [UInt8] = [0x61]
        let value = Payload.bytes([1])
        let asked: [CacheOperation] = [
            .firstKeys(1), .cost, .putIfAbsent(key, value, terms: .plain), .replace(key, value, terms: .plain),
            .compareAndSet(key, expected: value, value), .exchange(key, value), .take(key), .getMany([key]),
            .removeMany([key]), .advance(nanoseconds: 1), .sleep(nanoseconds: 1), .moveWallClock(nanoseconds: 1),
            .touch(key, timeToLiveNanoseconds: 1), .remainingTime(key), .resize(1), .statistics, .events,
            .load(key, Origin(.value(value))), .writes, .failWrites(true), .failWritesOf([key]), .removeTagged("t"),
            .mark(key), .setIfMarked(key, value), .removeIfMarked(key), .update(key, .countUp), .increment(key, by: 1),
            .rename(key, to: [0x62]), .putMany([KeyedPayload(key, value)]), .pin(key), .unpin(key), .dropMemory,
            .failLower(true), .diskUsage, .limitGroup("g", 1), .listen(.plain), .giveUp(key),
            .within(group: "g", .get(key)), .put(key, value, terms: PutTerms(timeToLiveNanoseconds: 1)),
            .put(key, value, terms: PutTerms(tags: ["t"])),
        ]
        for operation in asked {
            guard case .failure(let error) = instance.perform(operation) else {
                Issue.record("\(language) answers \(operation)")
                continue
            }
            #expect(error.code == .unsupported, "\(language): \(operation): \(error)")
        }
        // And it goes on.
        #expect(instance.perform(.put(key, value)) == .done)
        #expect(instance.perform(.count) == .number(1))
    }

    /// The kits once answered `moveWallClock` with done for caches that have none, and TTL-18 passed for nothing.
    @Test(.enabled(if: isInstalled("python3")), arguments: [false, true])
    func `a cache without a clock of the day is not held to one`(hasClock: Bool) throws {
        let place = try Place()
        _ = try AdapterKit.named("python").write(to: "\(place.folder)/mine")
        let adapter = """
            from assay_subject import MappingCache, serve
            class Subject(MappingCache):
                def __init__(self, clock): self.clock = clock
                def put(self, key, value, ttl=None): self.entries[key] = (value, None if ttl is None else self.clock() + ttl)
                def contains(self, key): return self.get(key) is not None
                def get(self, key):
                    value, end = self.entries.get(key, (None, None))
                    return value if end is None or self.clock() < end else None
                \(hasClock ? "def moveWallClock(self, amount): pass" : "")
            serve(Subject, "a cache with lives")
            """
        try adapter.write(toFile: "\(place.folder)/mine/subject.py", atomically: true, encoding: .utf8)
        let subject = ProcessSubject(
            command: "exec python3 -B '\(place.folder)/mine/subject.py'", answerSeconds: 600,
            policies: BuiltinPolicies.all)
        let result = try #require(ConformanceSuite.cache.check("TTL-18")).run(on: subject)
        let reason = "a clock of the day: 'moveWallClock' is answered 'unsupported'"
        #expect(result.outcome == (hasClock ? .pass : .notClaimed([reason])))
    }

    @Test func `nothing is overwritten, and a name that a shell takes apart is refused`() throws {
        let place = try Place()
        let kit = try AdapterKit.named("python")
        _ = try kit.write(to: "\(place.folder)/mine")
        for name in ["\(place.folder)/mine", "", "-x", "a b", "a'b", "$(x)"] {
            #expect { try kit.write(to: name) } throws: { ($0 as? AssayError)?.code == .usage }
        }
        #expect { try AdapterKit.named("pithon") } throws: { "\($0)".contains("Did you mean 'python'?") }
    }
}
