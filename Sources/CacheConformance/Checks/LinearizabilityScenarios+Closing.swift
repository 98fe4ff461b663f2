import CacheCore
import Dispatch
import Foundation
import Synchronization

// Closing among busy clients.
extension LinearizabilityChecks {
    static func closesAmongTraffic(_ context: CheckContext) throws(CheckStop) {
        let (seed, clients, isOneOfMany) = (context.seed, context.clients(5) - 1, context.runs(8) == 1)
        try context.eachRun(
            steps: ["4 clients get and put until they are told 'closed'; another closes the cache"],
            permitted: "answers, and then the error 'closed'"
        ) { instance, run in
            // One run of many is another one for each seed.
            let readsFirst = 20 * (isOneOfMany ? Int(seed % 8) : run)
            let isClosed = Mutex(false)
            let isBusy = DispatchSemaphore(value: 0)
            return ClientThreads.together(clients + 1) { thread -> String? in
                guard thread == 0 else {
                    return untilClosed(thread, instance, isBusy) { isClosed.withLock { $0 } }
                }
                // Who has had no processor until the close would not see it.
                let latest = DispatchTime.now() + 5
                for _ in 0..<clients { _ = isBusy.wait(timeout: latest) }
                for round in 0..<readsFirst { _ = instance.perform(.get(StressClient.key(Int32(round)))) }
                let answer = instance.perform(.close)
                isClosed.withLock { $0 = true }
                return answer == .done ? nil : "close answered \(ValueText.describe(answer, of: .close))"
            }.compactMap(\.self).first
        }
    }

    private static func untilClosed(
        _ thread: Int, _ instance: any CacheInstance, _ isBusy: DispatchSemaphore, _ isClosed: () -> Bool
    ) -> String? {
        for round in 1... {
            let mustFail = isClosed()
            let operation = request(round, of: thread)
            let answer = instance.perform(operation)
            if round == 1 { isBusy.signal() }
            if answer.error?.code == .closed { break }
            if let error = answer.error { return "\(operation) threw \(error)" }
            if mustFail { return "\(operation) answered \(ValueText.describe(answer, of: operation)) after the close" }
        }
        // Who came late has asked for one thing only.
        while !isClosed() { usleep(50) }
        for round in 1...2 {
            let operation = request(round, of: thread)
            let answer = instance.perform(operation)
            guard answer.error?.code == .closed else {
                return "\(operation) answered \(ValueText.describe(answer, of: operation)) after the close"
            }
        }
        return nil
    }

    private static func request(_ round: Int, of thread: Int) -> CacheOperation {
        let key = StressClient.key(Int32(round % 5))
        return round % 2 == 0 ? .get(key) : .put(key, .described(sequence: thread << 20 | round, byteCount: 32))
    }
}
