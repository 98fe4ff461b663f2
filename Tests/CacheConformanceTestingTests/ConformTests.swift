import CacheConformance
import CacheConformanceTesting
import CacheCore
import Foundation
import Synchronization
import Testing

@Suite("Checks that a test asks in child processes")
struct ConformTests {
    /// What a dictionary does to its process when something is removed.
    private enum Fault: String { case nothing, traps, hangs, fills, keeps }

    private struct Subject: CacheSubject {
        var fault = Fault.nothing
        var order: String?
        var name: String { "a dictionary that does \(fault.rawValue)" }

        func claims() -> Claims { Claims(room: .init(.objects(64)), order: order) }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            Instance(fault, setup.capacity?.amount ?? 64)
        }
    }

    private final class Instance: CacheInstance {
        private let fault: Fault
        private let room: Int
        /// The least recently used first.
        private let entries = Mutex<[(key: [UInt8], value: [UInt8])]?>([])

        init(_ fault: Fault, _ room: Int) { (self.fault, self.room) = (fault, room) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            entries.withLock { entries in
                if operation == .close { entries = nil }
                guard entries != nil else { return operation == .close ? .done : .failure(.closed) }
                let index = operation.key.flatMap { key in entries!.firstIndex { $0.key == key } }
                switch operation {
                case .put(let key, let payload, _, .plain):
                    if let index { entries!.remove(at: index) }
                    entries!.append((key, payload.bytes(for: key)))
                    if entries!.count > room { entries!.removeFirst() }
                case .get:
                    guard let index else { return .entry(nil) }
                    entries!.append(entries!.remove(at: index))
                    return .entry(StoredEntry(entries!.last!.value))
                case .contains: return .flag(index != nil)
                case .remove:
                    misbehave()
                    if let index, fault != .keeps { entries!.remove(at: index) }
                    return .flag(index != nil)
                case .removeAll: entries = []
                case .count: return .number(entries!.count)
                case .keys: return .keys(entries!.map(\.key))
                case .flush, .maintain: break
                default: return .failure(.unsupported(operation))
                }
                return .done
            }
        }

        private func misbehave() {
            switch fault {
            case .nothing, .keeps: break
            case .traps: fatalError("there is no such entry\nin words that come first")
            case .hangs: while true { sleep(1_000) }
            case .fills:
                var kept: [[UInt8]] = []
                while true {
                    kept.append([UInt8](repeating: UInt8(kept.count & 0xFF), count: 1 << 24))
                    usleep(1_000)
                }
            }
        }
    }

    private static func check(_ id: String) throws -> Check { try #require(ConformanceSuite.cache.check(id)) }

    /// How a check of a subject fails in a child process.
    private static func failure(_ fault: Fault, _ place: CheckPlace) throws -> CheckFailure {
        let check = try check("BAS-4")
        let failure = try #require(throws: ConformanceFailure.self) {
            try conform(Subject(fault: fault), to: check, place)
        }
        return failure.failure
    }

    @Test(arguments: ["BAS-4", "BAS-11", "CAP-1", "LIN-1"]) func `what is right passes in a child`(id: String) throws {
        try conform(Subject(), to: Self.check(id), .inChildProcess(deadlineSeconds: 1_800))
    }

    /// hyperoslo/Cache, two faces of which share one storage without a lock, ended the whole run.
    @Test func `a trap fails its check, with what was said first and the smallest program`() throws {
        let failure = try Self.failure(.traps, .inChildProcess(deadlineSeconds: 1_800))
        #expect(failure.end == .crashed)
        #expect(failure.observed.contains("there is no such entry"), "\(failure)")
        #expect(failure.program?.operations.count == 1, "\(failure)")
    }

    /// A value whose `deinit` uses the cache waited for ever in nicklockwood/LRUCache.
    @Test func `a deadlock fails its check`() async throws {
        let failure = try Self.failure(.hangs, .inChildProcess(deadlineSeconds: 5))
        #expect(failure.end == .hung, "\(failure)")
        // A child whose end nobody had taken kept every exit test of the process waiting for ever.
        await #expect(processExitsWith: .success) {}
    }

    #if os(Linux)
        @Test func `memory without end fails its check`() throws {
            let failure = try Self.failure(.fills, .inChildProcess(deadlineSeconds: 1_800, bytesMax: 1 << 29))
            #expect(failure.end == .crashed && failure.observed.contains("more than 512"), "\(failure)")
        }
    #endif

    @Test(arguments: [CheckPlace.inThisProcess, .inChildProcess(deadlineSeconds: 1_800)])
    func `an order is claimed by its name alone`(place: CheckPlace) throws {
        try conform(Subject(order: "lru"), to: Self.check("POL-4"), place)
        let check = try Self.check("POL-4")
        #expect(throws: ConformanceFailure.self) { try conform(Subject(order: "fifo"), to: check, place) }
        let error = #expect(throws: AssayError.self) { try conform(Subject(order: "lruu"), to: check, place) }
        #expect(error?.message.contains("Did you mean 'lru'?") == true)
    }

    /// ttlcache counts every read as a hit, which failed nine checks of one cause.
    @Test(arguments: [CheckPlace.inThisProcess, .inChildProcess(deadlineSeconds: 1_800)])
    func `what fails by one cause is one issue`(place: CheckPlace) throws {
        let suite = try ConformanceSuite.cache.limited(to: ["BAS-3", "BAS-4", "BAS-5", "TTL-1"])
        let failing = suite.checks.count { $0.run(on: Subject(fault: .keeps)).outcome.isNegative }
        let issues = Mutex<[String]>([])
        try withKnownIssue {
            try conform(Subject(fault: .keeps), to: suite, place)
        } matching: { issue in
            issues.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return true
        }
        let told = issues.withLock { $0 }
        #expect(failing > told.count && told.count == 1, "\(failing) failures: \(told)")
        #expect(told.first?.contains("BAS-4") == true && told.first?.contains("TTL") == false)
        try conform(Subject(), to: suite, place)
    }

    /// The cases of which the next test looks at what is shown.
    @Test(arguments: ["TTL-1", "BAS-4"]) func skipped(id: String) throws { try conform(Subject(), to: Self.check(id)) }

    @Test func `what is not claimed is shown as skipped, with the reason`() throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Bundle.main.executablePath))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "ConformTests/skipped"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text.contains("➜ TTL-1 skipped, not claimed: timeToLive\n"), "\(text)")
        #expect(!text.contains("BAS-4 skipped"))
    }
}
