import CacheSystems
import Synchronization
import Testing
import _CacheTestSupport

@testable import CacheSystemsHTTP

@Suite(
    "Connections with servers are shared out, and those that do not move are given up for others",
    .timeLimit(.minutes(30)))
struct ExchangesTests {
    private let timer = ManualTimer()

    private func exchanges(_ most: Int, waiting: Int = 10) -> Exchanges {
        Exchanges(most: most, waiting: waiting, timer: timer)
    }

    /// Lets one look happen, and waits for the next if there is to be one.
    private func look(isLast: Bool = false) async {
        while timer.sleepers == 0 { await Task.yield() }
        timer.advance(by: Exchanges.look)
        if !isLast { while timer.sleepers == 0 { await Task.yield() } }
    }

    @Test func `whoever comes when all are in use gets the next that ends, by an end or by being dropped`() async throws
    {
        let exchanges = exchanges(1)
        var first: Exchanges.Exchange? = try await exchanges.begin()
        let second = Task { try await exchanges.begin() }
        while timer.sleepers == 0 { await Task.yield() }
        withExtendedLifetime(first) {}
        first = nil
        let taken = try await second.value
        let third = Task { try await exchanges.begin() }
        await look()
        taken.end()
        taken.end()
        _ = try await third.value
    }

    @Test func `too many that wait, and waiting for too long, are busy`() async throws {
        let exchanges = exchanges(1, waiting: 1)
        let first = try await exchanges.begin()
        let second = Task { try await exchanges.begin() }
        while timer.sleepers == 0 { await Task.yield() }
        await #expect(throws: Exchanges.Busy.self) { try await exchanges.begin() }
        for number in 1...Exchanges.looksMax { await look(isLast: number == Exchanges.looksMax) }
        await #expect(throws: Exchanges.Busy.self) { try await second.value }
        // The next that waits is looked after as well.
        let third = Task { try await exchanges.begin() }
        while timer.sleepers == 0 { await Task.yield() }
        first.end()
        _ = try await third.value
    }

    @Test func `one that is cancelled while it waits leaves its place`() async throws {
        let exchanges = exchanges(1, waiting: 1)
        let first = try await exchanges.begin()
        let second = Task { try await exchanges.begin() }
        while timer.sleepers == 0 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        let third = Task { try await exchanges.begin() }
        for _ in 0..<100 { await Task.yield() }
        first.end()
        _ = try await third.value
    }

    @Test func `a body that does not move is cut for one that waits; one that moves, or has not begun, is not`()
        async throws
    {
        let exchanges = exchanges(3)
        let cut = Mutex<[String]>([])
        let all = [try await exchanges.begin(), try await exchanges.begin(), try await exchanges.begin()]
        for (exchange, name) in zip(all, ["still", "moving"]) {
            exchange.begin { [weak exchange] in
                cut.withLock { $0.append(name) }
                exchange?.end()
            }
        }
        // Nobody waits, and nothing is looked at.
        #expect(timer.sleepers == 0)
        let waiting = Task { try await exchanges.begin() }
        all[0].moved(100_000)
        await look()
        all[0].moved(Exchanges.leastBytes - 1)
        all[1].moved(Exchanges.leastBytes)
        await look(isLast: true)
        _ = try await waiting.value
        #expect(cut.withLock { $0 } == ["still"])
        withExtendedLifetime(all) {}
    }

    @Test func `answers that drip on every connection do not stop others`() async throws {
        let origin = try await ScriptedOrigin { request, wire, _ in
            guard request.target.hasPrefix("/drip") else {
                try await wire.write(answer(200, body: "fine"))
                return true
            }
            try await wire.write("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 100\r\n\r\nx")
            _ = await wire.read(1)
            return false
        }
        try await withProxy(origin) { [timer] in
            $0.network.connectionsMax = 4
            $0.network.timer = timer
        } _: { fixture async throws in
            var wires: [Wire] = []
            for number in 0..<4 {
                let wire = try await fixture.connect()
                try await wire.write("GET /drip\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await wire.head()?.status == 200)
                #expect(await wire.read(1) == Array("x".utf8))
                wires.append(wire)
            }
            async let other = fixture.ask("GET", "/other")
            await look()
            await look(isLast: true)
            #expect(try await other.text == "fine")
            // One of the four has ended early, and its client sees that.
            try await until { fixture.proxy.statistics.cut == 1 }
            for wire in wires { await wire.close() }
        }
    }

    @Test func `a proxy says when to come again as the connections do`() async throws {
        let (opened, opener) = AsyncStream<Void>.makeStream()
        let origin = try await ScriptedOrigin { _, wire, _ in
            for await _ in opened {}
            try await wire.write(answer(200, body: "late"))
            return true
        }
        try await withProxy(origin) { [timer] in
            $0.network.connectionsMax = 1
            $0.network.waitersMax = 0
            $0.network.timer = timer
        } _: { fixture async throws in
            async let first = fixture.ask("GET", "/first")
            try await until { origin.requests.count == 1 }
            let said = try await fixture.ask("GET", "/second")
            #expect(said.status == 503 && said["Retry-After"] == ["10"])
            opener.finish()
            #expect(try await first.text == "late")
        }
    }
}
