import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CacheSystemsHTTP

@Suite("Whoever moves too little for too long is given up")
struct IdleTimerTests {
    /// The seconds after which a peer is given up that moves so many bytes each second; nil if that is not within the time.
    private func end(_ bytes: Int, bytesPerSecond: Int, within seconds: Int, pausing: Bool = false) -> Int? {
        let loop = EmbeddedEventLoop()
        let timer = IdleTimer(loop, after: .seconds(10), bytesPerSecond: bytesPerSecond)
        let isOver = Mutex(false)
        for second in 1...seconds {
            timer.arm { isOver.withLock { $0 = true } }
            if pausing { timer.pause() }
            loop.advanceTime(by: .seconds(1))
            if pausing { timer.resume() }
            if isOver.withLock({ $0 }) { return second }
            timer.moved(bytes)
            timer.disarm()
            // What passes while nobody waits does not count.
            loop.advanceTime(by: .seconds(100))
        }
        #expect(!timer.hasExpired)
        return nil
    }

    @Test func `without a least rate any byte is enough, and none is not`() {
        #expect(end(1, bytesPerSecond: 0, within: 100) == nil)
        #expect(end(0, bytesPerSecond: 0, within: 100) == 10)
    }

    @Test func `with a least rate a byte gives its part of the time`() {
        #expect(end(0, bytesPerSecond: 100, within: 100) == 10)
        #expect(end(1, bytesPerSecond: 100, within: 1_000) == 11)
        #expect(end(50, bytesPerSecond: 100, within: 1_000) == 19)
        #expect(end(100, bytesPerSecond: 100, within: 1_000) == nil)
        #expect(end(.max, bytesPerSecond: 1, within: 20) == nil)
    }

    @Test func `time that is somebody else's does not count`() {
        #expect(end(0, bytesPerSecond: 100, within: 100, pausing: true) == nil)
    }

    @Test func `what begins anew has all the time`() {
        let loop = EmbeddedEventLoop()
        let timer = IdleTimer(loop, after: .seconds(10), bytesPerSecond: 100)
        let ends = Mutex(0)
        timer.arm { ends.withLock { $0 += 1 } }
        loop.advanceTime(by: .seconds(9))
        timer.reset()
        loop.advanceTime(by: .seconds(9))
        #expect(ends.withLock { $0 } == 0)
        loop.advanceTime(by: .seconds(1))
        #expect(ends.withLock { $0 } == 1 && timer.hasExpired)
    }
}
