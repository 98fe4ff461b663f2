import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("Subjects in child processes")
struct ProcessSubjectTests {
    /// The reference adapter with lines of Python that may break it before it serves.
    static func subject(_ lines: String = "", claims: Claims? = nil, answerSeconds: Double = 1_800) -> ProcessSubject {
        let folder = SharedFolder.packageRoot.appending(path: "Sources/CacheKits/python").path
        let script = """
            import sys, os, time
            sys.path.insert(0, '\(folder)')
            import assay_subject as a
            C = a.MappingCache
            \(lines)
            a.serve(C, 'test', {'storage': a.STORE, 'features': []})
            """
        return ProcessSubject(
            command: "exec python3 -B -c \"\(script)\"", claims: claims, answerSeconds: answerSeconds)
    }

    static func result(_ id: String, _ subject: ProcessSubject) throws -> CheckResult {
        try #require(ConformanceSuite.cache.check(id)).run(on: subject)
    }

    @Test func `the reference adapter passes whatever it claims`() {
        let subject = Self.subject()
        let report = ConformanceSuite.storage.run(on: subject)
        #expect(report.failures.map(\.id) == [])
        #expect(report.count(of: "pass") > 30)
    }

    /// A newcomer's cache of Go that has no look of its own failed BAS-1 by the word 'unsupported'.
    @Test func `a subject without a look is asked by get`() throws {
        var claims = Claims()
        let blind = "C.contains = lambda s, k: (_ for _ in ()).throw(a.Refused('unsupported', 'there is no look'))"
        #expect(try Self.result("BAS-1", Self.subject(blind, claims: claims)).outcome.isNegative)
        claims.deviations = [.containsIsGet]
        #expect(try Self.result("BAS-1", Self.subject(blind, claims: claims)).outcome == .pass)
    }

    @Test(arguments: ["FLT-5", "FLT-9", "FLT-10", "FLT-11", "FLT-12"])
    func `what lets single calls fail is blocked, and says why`(id: String) throws {
        var claims = Claims(features: [.storedExpiry])
        claims.durability = .exit
        let outcome = try Self.result(id, Self.subject(claims: claims)).outcome
        #expect(outcome.name == "blocked" && outcome.detail?.isEmpty == false, "\(outcome)")
    }

    @Test func `an adapter with a bug fails with a short reproducer in every form`() throws {
        let result = try Self.result("BAS-3", Self.subject("C.put = lambda s, k, v, **t: s.entries.setdefault(k, v)"))
        let failure = try #require(result.failure)
        #expect(result.outcome.name == "fail")
        let program = try #require(failure.program)
        #expect(program.operations.count <= 3)
        let transcript = program.transcript.split(separator: "\n")
        #expect(transcript.count == program.operations.count + 2)
        for line in transcript { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        let json = failure.text(reproducer: .json).split(separator: "\n").last { $0.contains("[{") }
        let again = try JSONDecoder().decode(Program.self, from: Data(try #require(json).utf8))
        #expect(again == program)
    }

    @Test func `a crash is a result, with the last words and the smallest program`() throws {
        let result = try Self.result(
            "BAS-11", Self.subject("C.remove = lambda s, k: (sys.stderr.write('farewell\\\\n'), os.abort())"))
        #expect(result.outcome.name == "crashed")
        #expect(result.outcome.detail?.contains("signal 6") == true)
        #expect(result.outcome.detail?.contains("farewell") == true)
        #expect(result.failure?.program?.operations.count == 1)
    }

    @Test func `a process that ends before it greets has crashed`() throws {
        let result = try Self.result("BAS-1", ProcessSubject(command: "echo sorry >&2; exit 3"))
        #expect(result.outcome.name == "crashed")
        #expect(result.outcome.detail?.contains("status 3") == true)
        #expect(result.outcome.detail?.contains("sorry") == true)
    }

    @Test func `a hang is a result, and the next check has a new process`() throws {
        let subject = Self.subject("C.keys = lambda s: time.sleep(1e6)", answerSeconds: 20)
        let result = try Self.result("ITR-8", subject)
        #expect(result.outcome.name == "hung", "\(result)")
        #expect(try Self.result("BAS-1", subject).outcome == .pass)
    }

    /// A clear that never answered was shown with 601 steps.
    @Test func `a hang of a process is made smaller, and who asks for less waits for less`() throws {
        let subject = Self.subject("C.removeAll = lambda s: time.sleep(1e6)", answerSeconds: 20)
        let result = try Self.result("CLR-1", subject)
        #expect(result.outcome.name == "hung", "\(result)")
        #expect(result.failure?.program?.operations == [.removeAll], "\(result)")
        #expect(result.failure?.observed.contains("no answer within 2.0 s") == true, "\(result)")
    }

    @Test(arguments: [
        ("sys.stdout.write('Hello, I am a cache of great promise\\\\n'); sys.stdout.flush()", "begins no frame"),
        ("a.struct.pack = lambda f, n: n.to_bytes(4, 'little')", "begins no frame"),
        ("a.ANSWERS['get'] = lambda v: {'entry': 5}", "no answer"),
        ("C.get = lambda s, k: None; a.ANSWERS['get'] = lambda v: {'id': 999, 'done': True}", "request 999"),
        ("a.json.dumps = lambda o: '{}'", "no answer"),
        ("a.ANSWERS['get'] = lambda v: {'nonsense': True}", "none of done"),
        ("a.ANSWERS['contains'] = lambda v: {'number': 1 << 63}", "numbers of 64 bits"),
        ("a.ANSWERS['get'] = lambda v: {'entry': {'value': b'a'}}", "'get' of the adapter returned it"),
    ])
    func `garbage is told in words`(_ lines: String, _ words: String) throws {
        let result = try Self.result("BAS-1", Self.subject(lines))
        #expect(result.outcome.name == "fail", "\(result)")
        #expect(result.outcome.detail?.contains(words) == true, "\(result)")
    }

    @Test func `another version is refused by either side, in words`() throws {
        for lines in ["a.VERSION = 2", "a.VERSION = type('V', (int,), {'__eq__': lambda s, o: True})(2)"] {
            let result = try Self.result("BAS-1", Self.subject(lines))
            #expect(result.outcome.name == "fail")
            #expect(result.outcome.detail?.contains("version 2") == true, "\(result)")
        }
    }

    @Test func `a conversation ends with its subject`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        do {
            let subject = Self.subject("open('\(file)', 'w').write(str(os.getpid()))")
            #expect(try subject.title() == "test")
        }
        let identifier = try #require(Int32(String(contentsOfFile: file, encoding: .utf8)))
        for _ in 0..<18_000 where kill(identifier, 0) == 0 { usleep(100_000) }
        #expect(kill(identifier, 0) != 0)
    }

    @Test func `every answer reads as it was written`() throws {
        var counters = CacheCounters()
        counters.hits = 3
        let entry = StoredEntry([1, 2], expiresAtNanoseconds: 9)
        let answers: [OperationResult] = [
            .done, .entry(nil), .entry(entry), .entries([nil, entry]), .flag(true), .number(-1), .keys([[], [255]]),
            .time(nil), .time(4), .statistics(counters),
            .events([CacheEvent(group: "g", key: [1], value: [], cause: .expired)]), .loaded(.value(entry), calls: 1),
            .loaded(.nothing, calls: 0), .loaded(.failed, calls: 2),
            .writes([WrittenEntry(key: [1], value: nil), WrittenEntry(key: [2], value: [3])]),
            .failure(StoreError(.keyRefused, "too long")),
        ]
        for answer in answers {
            let data = try JSONEncoder().encode(answer)
            #expect(try JSONDecoder().decode(OperationResult.self, from: data) == answer)
        }
    }

    @Test func `what a program leaves out of terms is plain`() throws {
        let text = #"[{"operation":"put","key":"61","value":"01","terms":{"timeToLiveNanoseconds":5}}]"#
        let program = try JSONDecoder().decode(Program.self, from: Data(text.utf8))
        #expect(program == Program([.put([0x61], .bytes([1]), terms: PutTerms(timeToLiveNanoseconds: 5))]))
    }

    @Test func `a process is told every value as its bytes`() throws {
        let (key, value) = ([UInt8](arrayLiteral: 0x61), Payload.described(sequence: 3, byteCount: 40))
        let operations: [CacheOperation] = [
            .put(key, value), .setIfMarked(key, value), .update(key, .set(value)), .exchange(key, value),
            .putMany([KeyedPayload(key, value)]), .listen(.reenters(.put(key, value))),
            .within(group: "g", .replace(key, value)),
        ]
        for operation in operations {
            let text = String(decoding: try JSONEncoder().encode(OperationLine(operation).spelled), as: UTF8.self)
            #expect(!text.contains("sequence"), "\(text)")
            #expect(text.contains(KeyText.hex(value.bytes(for: key)[...])))
        }
    }

    /// A check of a subject in a process went on to its end after the time limit.
    @Test func `a subject that is ended for good answers no more and is not started again`() async throws {
        let subject = Self.subject("C.get = lambda s, k: time.sleep(1e6)", answerSeconds: 3_600)
        let instance = try subject.open(CacheSetup(), in: nil)
        let asked = Task.detached { instance.perform(.get([1])).error?.code }
        subject.endForGood()
        #expect(await asked.value == .crashed)
        #expect(instance.perform(.put([1], .bytes([1]))).error?.code == .crashed)
        #expect(throws: StoreError.self) { _ = try subject.open(CacheSetup(), in: nil) }
    }

    @Test func `what a shell has started is gone when the wait for it is over`() throws {
        let program = try ChildProgram(command: "sleep 60 | cat; true")
        #expect(program.end(nil) == "signal 9 ended it")
        var end = pollfd(fd: program.output, events: 0, revents: 0)
        #expect(poll(&end, 1, 0) == 1 && end.revents & Int16(POLLHUP) != 0)
        program.closeEnds()
    }
}
