import CacheConformance
import CacheCore
import Foundation
import Synchronization
import Testing

@Suite("Histories are recorded from threads")
struct HistoryRecorderTests {
    /// A map behind a lock that may be wrong.
    final class Register: Sendable {
        private let values = Mutex<[Int32: Int32]>([:])
        private let isTorn: Bool

        init(isTorn: Bool) { self.isTorn = isTorn }

        func get(_ key: Int32) -> Int32 { values.withLock { $0[key] ?? 0 } }
        func remove(_ key: Int32) -> Bool { values.withLock { $0.removeValue(forKey: key) != nil } }

        func put(_ value: Int32, for key: Int32) {
            guard isTorn else { return values.withLock { $0[key] = value } }
            // Writes late what others have written in between: a lost update.
            let old = get(key)
            Thread.sleep(forTimeInterval: 0.000_05)
            values.withLock { $0[key] = value }
            if value % 7 == 0 { values.withLock { $0[key] = old == 0 ? nil : old } }
        }
    }

    static func record(_ register: Register, clients: Int32 = 4, rounds: Int32 = 400) -> History {
        let origin = ContinuousClock.now
        let finished = Mutex<[HistoryRecorder]>([])
        let threads = (0..<clients).map { client in
            let thread = Thread {
                var recorder = HistoryRecorder(client: client, since: origin, expecting: Int(rounds))
                var random = SeededGenerator(seed: UInt64(client))
                for round in 0..<rounds {
                    let key = Int32(random.next(below: 4))
                    switch random.next(below: 5) {
                    case 0, 1:
                        let value = 1 + client * rounds + round
                        recorder.put(value, for: key) { register.put(value, for: key) }
                    case 2: recorder.remove(key) { register.remove(key) }
                    default: recorder.get(key) { register.get(key) }
                    }
                }
                finished.withLock { $0.append(recorder) }
            }
            thread.start()
            return thread
        }
        while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.001) }
        return History(recorded: finished.withLock { $0 })
    }

    @Test func `a register behind a lock is linearizable`() throws {
        let history = Self.record(Register(isTorn: false))
        #expect(history.operations.count == 1_600)
        #expect(history.operations.allSatisfy { $0.callTime >= 0 && $0.returnTime >= $0.callTime && !$0.isPending })
        #expect(try HistoryChecker().check(history).verdict == .linearizable)
    }

    @Test func `a register that takes writes back is caught, one client suffices`() throws {
        let report = try HistoryChecker().check(Self.record(Register(isTorn: true), clients: 2))
        guard case .notLinearizable(let violation) = report.verdict else {
            Issue.record("\(report)")
            return
        }
        #expect(!violation.witness.isEmpty)
    }

    @Test func `an operation that throws is pending`() {
        var recorder = HistoryRecorder(client: 0, since: .now)
        try? recorder.put(5, for: 1) { () throws(StoreError) in throw StoreError(.full, "make room") }
        let operation = History(recorded: [recorder]).operations[0]
        #expect(operation.isPending && operation.argument == 5 && operation.result == HistoryOperation.unknown)
    }
}
