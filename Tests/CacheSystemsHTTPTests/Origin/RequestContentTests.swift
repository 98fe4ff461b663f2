import CacheSystems
import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CacheSystemsHTTP

@Suite("The body of a request on its way")
struct RequestContentTests {
    /// Pieces without end, counted as they are asked for.
    private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let asked: Counter

        func next() async -> [UInt8]? {
            asked.add()
            return [UInt8](repeating: 7, count: 65_536)
        }
        func makeAsyncIterator() -> Self { self }
    }

    /// async-http-client takes pieces until its event loop says that the connection is full: one of 2 GiB took 180 MiB of memory on a busy machine.
    @Test func `is given away no faster than the event loop comes to it`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let loops = Array(group.makeIterator())
        let held = DispatchSemaphore(value: 0)
        loops[1].execute { held.wait() }
        let asked = Counter()
        let content = RequestContent(HTTPBody(Pieces(asked: asked)), IdleTimer(loops[0], after: .seconds(60)), group)
        let taker = Task {
            var pieces = content.makeAsyncIterator()
            for _ in 0..<100 { _ = try await pieces.next() }
        }
        let most = RequestContent.aheadMax / 65_536
        while asked.count < most { await Task.yield() }
        try await Task.sleep(for: .milliseconds(50))
        #expect(asked.count == most)
        held.signal()
        try await taker.value
        #expect(asked.count == 100)
        try await group.shutdownGracefully()
    }
}
