import CacheCore
import Foundation
import Testing

@testable import CacheConformance

@Suite("Requests that are sent together")
struct BurstTests {
    /// It answers no step before it has read eight, and then the last first.
    private static let script = """
        import json, struct, sys
        def read():
            return json.loads(sys.stdin.buffer.read(struct.unpack('>I', sys.stdin.buffer.read(4))[0]))
        def answer(r):
            a = {'hello': {'version': 1, 'name': 'late'}} if 'hello' in r else \
                {'number': len(r['step']['key']) // 2} if 'step' in r else {'done': True}
            body = json.dumps({'id': r['id'], **a}).encode()
            sys.stdout.buffer.write(struct.pack('>I', len(body)) + body)
            sys.stdout.buffer.flush()
        while True:
            r = read()
            if 'step' not in r: answer(r)
            else:
                for r in reversed([r] + [read() for _ in range(7)]): answer(r)
        """

    @Test func `lie in the pipe before the first is answered, and each has its own answer`() throws {
        let subject = ProcessSubject(
            command: "exec python3 -B -c \"\(Self.script)\"", claims: Claims(), answerSeconds: 600)
        let instance = try #require(subject.open(CacheSetup(), in: nil) as? ProcessInstance)
        let asked = (1...8).map { CacheOperation.get([UInt8](repeating: 0x61, count: $0)) }
        #expect(instance.perform(atOnce: asked) == (1...8).map { .number($0) })
        subject.endProcess()
    }
}
