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

        /// The kit's skeleton as a subject, with edits of a file, made by the commands that the author is told.
        func subject(
            _ kit: AdapterKit, _ file: String = "README.md", _ edits: KeyValuePairs<String, String> = [:]
        ) throws -> ProcessSubject {
            let commands = try kit.write(to: "\(folder)/mine")
            var text = try String(contentsOfFile: "\(folder)/mine/\(file)", encoding: .utf8)
            for (old, new) in edits { text = text.replacing(old, with: new) }
            try text.write(toFile: "\(folder)/mine/\(file)", atomically: true, encoding: .utf8)
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
        let byAnotherFace: [CacheOperation] = [.put(key, value), .count, .close]
        for (operation, face) in asked.map({ ($0, 0) }) + byAnotherFace.map({ ($0, 1) }) {
            guard case .failure(let error) = instance.perform(operation, face: face) else {
                Issue.record("\(language) answers \(operation) by face \(face)")
                continue
            }
            #expect(error.code == .unsupported, "\(language): \(operation): \(error)")
        }
        // And it goes on.
        #expect(instance.perform(.put(key, value)) == .done)
        #expect(instance.perform(.count) == .number(1))
    }

    /// A skeleton's file and edits that give it three faces, the last of another cache, of which two are claimed.
    private static let faces: [String: (file: String, edits: KeyValuePairs<String, String>)] = [
        "python": (
            "subject.py",
            [
                #"{"order": "lru"}"#:
                    #"{"order": "lru", "faces": 2}; face = lambda self, number: self if number == 1 else Subject(9)"#
            ]
        ),
        "node": (
            "subject.js",
            [
                "{ order: 'lru' }":
                    "{ order: 'lru', faces: 2 }; face(number) { return number === 1 ? this : new Subject({ entries: 9 }) }"
            ]
        ),
        "go": (
            "subject.go",
            [
                #""lru"}"#: #""lru", "faces": 2}"#,
                "func main": """
                func (s Subject) Face(number int) Subject {
                    if number == 1 { return s }
                    return Subject{&LRU{9, list.New(), map[string]*list.Element{}}}
                }
                func main
                """,
            ]
        ),
        "c": (
            "subject.c",
            [
                #".claims = "{"#: #".face = face, .claims = "{\"faces\":2,"#,
                "int main": """
                static lru other = {9, 0, NULL};
                static void *face(void *c, int64_t number) { return number == 1 ? c : &other; }
                int main
                """,
            ]
        ),
        "java": (
            "Subject.java",
            [
                #""{"#: #""{\"faces\":2,"#,
                "Subject(AssaySubject": """
                Subject(LRU cache) { this.cache = cache; }
                    public Subject face(long number) { return new Subject(number == 1 ? cache : new LRU(9)); }
                    Subject(AssaySubject
                """,
            ]
        ),
        "rust": (
            "subject.rs",
            [
                #""lru"}"#: #""lru","faces":2}"#, "sync::Mutex": "sync::{Arc, Mutex}",
                "Subject(Mutex<Lru>)": "Subject(Arc<Mutex<Lru>>)", "})))": "}).into()))",
                "for Subject {": """
                for Subject {
                    fn face(&self, number: i64) -> Answer<Arc<dyn Cache>> {
                        Ok(Arc::new(Subject(if number == 1 { self.0.clone() } else { Arc::default() })))
                    }
                """,
            ]
        ),
    ]

    /// The kits once did every step by the first face, and a cache passed whose second one forgets.
    @Test(arguments: installed) func `a step goes by the face that it names`(language: String) throws {
        let place = try Place()
        let (file, edits) = try #require(Self.faces[language])
        let subject = try place.subject(try AdapterKit.named(language), file, edits)
        let check = try #require(ConformanceSuite.cache.check("BAS-3"))
        #expect(check.run(on: subject).outcome == .pass)
        var claims = try subject.claims()
        #expect(claims.faces == 2)
        claims.faces = 3
        #expect(check.run(on: ClaimedSubject(subject, claims: claims)).outcome.name == "fail")
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
