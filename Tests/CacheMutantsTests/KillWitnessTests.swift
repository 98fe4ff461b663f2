import CacheCore
import CacheMutants
import CachePolicies
import CacheReference
import Foundation
import Synchronization
import Testing

@testable import CacheConformance

/// A kill that came before or after what was to be interrupted shows nothing, and is not taken for a pass.
@Suite("Kills that hit")
struct KillWitnessTests {
    static let openings = ["FLT-8", "MIG-5"]

    /// The reference in a file that only the process which made it can open, so that no other is killed at work.
    private struct Shy: CacheSubject {
        let name = "shy"
        let needsDirectory = true
        private let cache = ReferenceSubject(flavour: .persistent, policies: BuiltinPolicies.all)
        private let home = ProcessInfo.processInfo.processIdentifier

        func claims() throws(StoreError) -> Claims { try cache.claims() }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            guard ProcessInfo.processInfo.processIdentifier == home else {
                throw StoreError(.unavailable, "another process has it")
            }
            return try cache.open(setup, in: directory)
        }
    }

    /// The reference in a file, which it opens when it is first asked something.
    private struct Lazy: CacheSubject {
        private final class Instance: CacheInstance {
            private let make: @Sendable () throws(StoreError) -> any CacheInstance
            private let opened = Mutex<(any CacheInstance)?>(nil)

            init(_ make: @escaping @Sendable () throws(StoreError) -> any CacheInstance) { self.make = make }

            func perform(_ operation: CacheOperation) -> OperationResult {
                opened.withLock { opened in
                    if opened == nil, operation == .close { return .done }
                    do throws(StoreError) {
                        if opened == nil { opened = try make() }
                        return opened!.perform(operation)
                    } catch {
                        return .failure(error)
                    }
                }
            }
        }

        let name = "lazy"
        let needsDirectory = true
        let cache: any CacheSubject

        init(_ bug: String?) {
            cache =
                bug.flatMap(Mutation.named).map { $0.subject(policies: BuiltinPolicies.all) }
                ?? ReferenceSubject(flavour: .persistent, policies: BuiltinPolicies.all)
        }

        func claims() throws(StoreError) -> Claims { try cache.claims() }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance { () throws(StoreError) in try cache.open(setup, in: directory) }
        }
    }

    @Test(arguments: openings)
    func `where no process could be killed while it opened the store, the check is inconclusive`(id: String) throws {
        let outcome = try #require(ConformanceSuite.cache.check(id)).run(on: Shy(), seed: 1).outcome
        guard case .inconclusive(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason == "the process that was to be killed could not open the store")
    }

    @Test(arguments: zip(openings, ["N-FLT-8", "N-MIG-5"]))
    func `a store that opens its files when it is first used is killed there`(id: String, bug: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        #expect(check.run(on: Lazy(bug), seed: 1).outcome.name == "fail")
        #expect(check.run(on: Lazy(nil), seed: 1).outcome == .pass)
    }

    @Test func `moments come closer to what was too early and too late until one is midway`() {
        func tried(_ span: ClosedRange<Int>) -> (moments: [Int], isMidway: Bool) {
            var moments = KillMoments(microseconds: [100, 800])
            var all: [Int] = []
            while let moment = moments.next() {
                all.append(moment)
                moments.note(moment < span.lowerBound ? .early : moment > span.upperBound ? .late : .midway, at: moment)
            }
            return (all, moments.isMidway)
        }
        #expect(tried(50...300) == ([100, 800], true))
        #expect(tried(200...300) == ([100, 800, 450, 275], true))
        #expect(tried(0...4) == ([100, 800, 50, 25, 12, 6, 3], true))
        #expect(tried(0...0) == ([100, 800, 50, 25, 12, 6, 3, 1], false))
        #expect(tried(5_000...6_000) == ([100, 800, 1_600, 3_200, 6_400, 4_800, 5_600], true))
        #expect(!tried(2_000_000...3_000_000).isMidway)
    }
}
