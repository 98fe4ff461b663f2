import CacheConformance
import CacheCore
import CacheHarness
import CacheSystemChecks

/// A complete cache, such as one of the systems, as `assay bench --subject` names it: a subject of `assay conform`.
struct WholeCacheSelection {
    let name: String
    private let subject: any CacheSubject
    private let claims: Claims

    /// Finds a subject that can be put under load in a process of this program.
    ///
    /// - Throws: `AssayError` with code `usage` for what is none.
    init(_ name: String) throws(AssayError) {
        let selection = try SubjectSelection(name, claims: nil, answerSeconds: 60)
        guard selection.place != .elsewhere, selection.suite.name != ConformanceSuite.policy.name, !selection.isStore
        else {
            throw AssayError(
                .usage,
                "'\(name)' is no complete cache of this program. Name a system (\(Self.systems)) or a cache of the engine; "
                    + "backends are put under load by --backend, policies by --policy.")
        }
        self.name = name
        subject = selection.subject
        do throws(StorageError) { claims = try subject.claims() } catch {
            throw AssayError(.unavailable, "\(name) cannot be opened", cause: error.description)
        }
    }

    private static var systems: String { Registry.systems.map(\.fixed.name).joined(separator: ", ") }

    /// The capacities that it can be opened with, of those that are wanted; where it has no room to choose, one for all that the trace
    /// has.
    func capacities(_ wanted: [CapacityRequest], for trace: TraceDescription) -> [(Capacity, requested: String)] {
        guard claims.room?.isAdjustable == true else { return [(.objects(max(1, trace.objects)), "none")] }
        return wanted.map {
            ($0.resolved(footprintObjects: trace.objects, footprintBytes: trace.footprintBytes), $0.description)
        }
    }

    /// Why it cannot be put under a load; nil if it can.
    func inapplicability(_ capacity: Capacity, threads: Int) -> String? {
        if let room = claims.room, room.isAdjustable, !room.units.contains(capacity.unit) {
            return "\(name) does not count \(capacity.unit.rawValue)"
        }
        if threads > 1, !claims.storage.isConcurrent { return "\(name) is not for several threads" }
        return nil
    }

    /// It as a live run opens it.
    var entry: WholeCacheEntry {
        let isBounded = claims.room?.isAdjustable == true
        return WholeCacheEntry(name: name, needsDirectory: subject.needsDirectory) {
            [subject] (directory, capacity) throws(StorageError) in
            let setup = CacheSetup(capacity: isBounded ? capacity : nil)
            return DrivenInstance(try subject.open(setup, in: directory))
        }
    }
}

/// An open subject of the suite under load. What happens to its entries is told to nobody.
private final class DrivenInstance: WholeCache {
    private let instance: any CacheInstance

    init(_ instance: any CacheInstance) {
        self.instance = instance
        // What is noted for the suite would be taken for the cache's own memory.
        _ = instance.perform(.listen(.none))
    }

    private func ask(_ operation: CacheConformance.Operation) throws(StorageError) -> OperationResult {
        let result = instance.perform(operation)
        if case .failure(let error) = result { throw error }
        return result
    }

    func value(for key: [UInt8]) throws(StorageError) -> [UInt8]? {
        guard case .entry(let entry) = try ask(.get(key)) else { return nil }
        return entry?.value
    }

    func put(_ value: [UInt8], for key: [UInt8]) throws(StorageError) -> Bool {
        switch instance.perform(.put(key, .bytes(value))) {
        case .failure(let error) where error.code == .valueRefused: false
        case .failure(let error): throw error
        default: true
        }
    }

    func remove(_ key: [UInt8]) throws(StorageError) -> Bool { try ask(.remove(key)) == .flag(true) }

    func count() throws(StorageError) -> Int {
        guard case .number(let count) = try ask(.count) else { return 0 }
        return count
    }

    func evictions() -> Int? {
        guard case .statistics(let counters) = instance.perform(.statistics) else { return nil }
        return counters.evictions
    }

    func removeAll() throws(StorageError) { _ = try ask(.removeAll) }
    func close() throws(StorageError) { _ = try ask(.close) }
}
