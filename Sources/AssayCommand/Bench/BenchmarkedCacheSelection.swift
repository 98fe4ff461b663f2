#if Conformance
    import CacheConformance
    import CacheCore
    import CacheHarness
    import Foundation

    /// A complete cache as `--subject` of `assay bench` and `assay run` names it: any cache of `assay conform`.
    struct BenchmarkedCacheSelection {
        let name: String
        private let subject: any CacheSubject
        private let claims: Claims
        /// Whether it runs in a process of its own, whose memory is not this program's.
        let isElsewhere: Bool

        /// The longest that a subject of another process may take for one answer, in seconds.
        private static var answerSeconds: Double { 60 }

        /// Finds a subject that can be put under load.
        ///
        /// - Throws: `AssayError` with code `usage` for what is none, and `unavailable` for one that cannot be started.
        init(_ name: String, deadlineSeconds: Double) throws(AssayError) {
            let selection = try SubjectSelection(
                name, claims: nil, answerSeconds: min(Self.answerSeconds, deadlineSeconds))
            guard !selection.isPolicy else {
                throw AssayError(
                    .usage,
                    "'\(name)' is a policy and no cache. Put it under load by --policy, over a backend that --backend names.",
                    at: AssayError.Location("--subject"))
            }
            self.name = name
            subject = selection.subject
            isElsewhere = selection.place == .elsewhere
            do throws(StoreError) { claims = try subject.claims() } catch {
                throw AssayError(
                    .unavailable, "\(name) cannot be opened; try it with 'assay conform'",
                    at: AssayError.Location("--subject"),
                    cause: error.description)
            }
        }

        /// The names in the arguments of `--subject`: separated by commas, but a command line is one name to its end.
        static func names(_ arguments: [String]) -> [String] {
            arguments.flatMap { argument in
                guard let command = argument.range(of: "exec:") else { return Selection.items(argument) }
                let isFirst = command.lowerBound == argument.startIndex
                guard isFirst || argument[..<command.lowerBound].hasSuffix(",") else {
                    return Selection.items(argument)
                }
                return Selection.items(String(argument[..<command.lowerBound])) + [
                    String(argument[command.lowerBound...])
                ]
            }
        }

        /// A complete cache with a trace and a capacity.
        struct Planned {
            let cache: BenchmarkedCacheSelection
            let trace: SweepTrace
            /// The result before it has figures; with a failure if the combination has no meaning.
            var blank: CellResult
        }

        /// Every named cache with every trace, at the capacities that it can be opened with.
        static func plan(
            _ names: [String], capacities: [CapacityRequest], traces: [SweepTrace], threads: Int, seed: UInt64,
            deadlineSeconds: Double
        ) throws(AssayError) -> [Planned] {
            var planned: [Planned] = []
            for name in names {
                let cache = try BenchmarkedCacheSelection(name, deadlineSeconds: deadlineSeconds)
                // The passes have processes of their own.
                cache.endProcess()
                for trace in traces {
                    for (capacity, requested) in cache.capacities(capacities, for: trace.description) {
                        var blank = CellResult(
                            trace: trace.description.name, policy: "its own", parameters: "", backend: name,
                            capacity: capacity, capacityRequested: requested, seed: seed)
                        blank.failure = cache.inapplicability(capacity, threads: threads).map {
                            CellFailure(.notApplicable, $0)
                        }
                        blank.notes = cache.notes
                        planned.append(Planned(cache: cache, trace: trace, blank: blank))
                    }
                }
            }
            return planned
        }

        /// The capacities that it can be opened with, of those that are wanted; where it has no room to choose, one for all that the trace
        /// has.
        private func capacities(
            _ wanted: [CapacityRequest], for trace: TraceDescription
        ) -> [(Capacity, requested: String)] {
            guard claims.room?.isAdjustable == true else { return [(.objects(max(1, trace.objects)), "none")] }
            return wanted.map {
                ($0.resolved(footprintObjects: trace.objects, footprintBytes: trace.footprintBytes), $0.description)
            }
        }

        /// Why it cannot be put under a load; nil if it can.
        private func inapplicability(_ capacity: Capacity, threads: Int) -> String? {
            if let room = claims.room, room.isAdjustable, !room.units.contains(capacity.unit) {
                return "\(name) does not count \(capacity.unit.rawValue)"
            }
            if threads > 1, !claims.storage.isConcurrent { return "\(name) is not for several threads" }
            return nil
        }

        /// What a reader of its figures must know; nil for nothing.
        private var notes: [String]? {
            var notes: [String] = []
            if let room = claims.room, !room.isAdjustable {
                notes.append("it has a fixed room of \(room.capacity), and --capacity was not asked for.")
            } else if claims.room == nil {
                notes.append("it claims no capacity: it holds what it likes, and --capacity was not asked for.")
            }
            if !claims.features.contains(.statistics) {
                notes.append("it does not say what it evicts, which stands as 0.")
            }
            if isElsewhere {
                notes.append(
                    "it is in a process of its own: times include the subject protocol, memory is not measured.")
            }
            return notes.isEmpty ? nil : notes
        }

        /// It as a live run opens it.
        var entry: BenchmarkedCacheEntry {
            let isBounded = claims.room?.isAdjustable == true
            return BenchmarkedCacheEntry(name: name, needsDirectory: subject.needsDirectory) {
                [subject, claims, isElsewhere] (directory, capacity) throws(StoreError) in
                // The subject protocol promises a directory that is there.
                if isElsewhere, let directory {
                    do {
                        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                    } catch {
                        throw StoreError(.unavailable, "\(directory) cannot be made: \(error.localizedDescription)")
                    }
                }
                let setup = CacheSetup(capacity: isBounded ? capacity : nil)
                return DrivenInstance(try subject.open(setup, in: directory), claims)
            }
        }

        /// Ends the process of a subject that has one of its own; the next use starts another.
        func endProcess() { (subject as? ProcessSubject)?.endProcess() }
    }

    /// An open subject of the suite under load. What happens to its entries is told to nobody.
    private final class DrivenInstance: BenchmarkedCache {
        private let instance: any CacheInstance
        private let claims: Claims

        init(_ instance: any CacheInstance, _ claims: Claims) {
            self.instance = instance
            self.claims = claims
            // What is noted for the suite would be taken for the cache's own memory.
            if claims.features.contains(.listener) { _ = instance.perform(.listen(.none)) }
        }

        private func ask(_ operation: CacheOperation) throws(StoreError) -> OperationResult {
            let result = instance.perform(operation)
            if case .failure(let error) = result { throw error }
            return result
        }

        private func wrong(_ operation: String, _ answer: OperationResult) -> StoreError {
            StoreError(.inputOutput, "the answer to \(operation) is of another kind: \(answer)")
        }

        func value(for key: [UInt8]) throws(StoreError) -> [UInt8]? {
            let answer = try ask(.get(key))
            guard case .entry(let entry) = answer else { throw wrong("get", answer) }
            return entry?.value
        }

        func put(_ value: [UInt8], for key: [UInt8]) throws(StoreError) { _ = try ask(.put(key, .bytes(value))) }

        func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            let answer = try ask(.remove(key))
            guard case .flag(let isRemoved) = answer else { throw wrong("remove", answer) }
            return isRemoved
        }

        func count() throws(StoreError) -> Int? {
            guard claims.storage.iterates else { return nil }
            let answer = try ask(.count)
            guard case .number(let count) = answer else { throw wrong("count", answer) }
            return count
        }

        func evictions() -> Int? {
            guard claims.features.contains(.statistics), case .statistics(let counters) = instance.perform(.statistics)
            else { return nil }
            return counters.evictions
        }

        func removeAll() throws(StoreError) { _ = try ask(.removeAll) }
        func close() throws(StoreError) { _ = try ask(.close) }
    }
#else
    import CacheCore
    import CacheHarness

    /// What `--subject` names, of which there is none here: only the suite can open one.
    struct BenchmarkedCacheSelection {
        /// A complete cache with a trace and a capacity.
        struct Planned {
            let cache: BenchmarkedCacheSelection
            let trace: SweepTrace
            var blank: CellResult
        }

        private let nothing: Never
        var name: String { switch nothing {} }
        var isElsewhere: Bool { switch nothing {} }
        var entry: BenchmarkedCacheEntry { switch nothing {} }

        init(_ name: String, deadlineSeconds: Double) throws(AssayError) { throw Part.conformance.missing("--subject") }

        static func names(_ arguments: [String]) -> [String] { arguments }

        static func plan(
            _ names: [String], capacities: [CapacityRequest], traces: [SweepTrace], threads: Int, seed: UInt64,
            deadlineSeconds: Double
        ) throws(AssayError) -> [Planned] {
            guard names.isEmpty else { throw Part.conformance.missing("--subject") }
            return []
        }

        func endProcess() {}
    }
#endif
