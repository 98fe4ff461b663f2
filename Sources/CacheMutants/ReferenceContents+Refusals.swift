import CacheConformance
import CacheCore

// Defects of what is refused or fails and leaves something behind, and of what is not counted.
extension ReferenceContents {
    mutating func slipRefused(_ operation: CacheOperation, _ place: Place) -> OperationResult? {
        switch (bug, operation) {
        case (.failedStepDrops, .increment), (.failedStepDrops, .within(_, .put)):
            return failing(operation) { contents in contents.leave(place, .removed) }
        case (.failedPutForgetsTags, .put):
            return failing(operation) { contents in contents.entries[place]?.terms.tags = [] }
        case (.failedPutForgetsTime, .put):
            return failing(operation) { contents in
                if contents.timeToIdle == nil { contents.entries[place]?.deadline = nil }
            }
        case (.failedPutExtends, .put):
            return failing(operation) { contents in
                guard contents.timeToIdle != nil, let terms = contents.entries[place]?.terms else { return }
                contents.entries[place]!.deadline = contents.deadline(terms)
            }
        case (.failedPutChangesVersion, .put):
            return failing(operation) { contents in
                contents.writes += 1
                contents.entries[place]?.version = contents.writes
            }
        case (.failedPutRefreshes, .put):
            return failing(operation) { contents in
                contents.clock += 1
                contents.entries[place]?.stamp = contents.clock
            }
        case (.refusedRenameLoses, .rename(_, let other)) where other.count > 5_000:
            leave(place, .removed)
            return nil
        case (.failedRenameLoses, .rename(_, let other)) where failingKeys.contains(other) && find(place) != nil:
            leave(place, .removed)
            return .failure(StoreError(.unavailable, "the writer failed"))
        case (.refusedResizeEmpties, .resize(let amount)) where amount < 0:
            for other in entries.keys { leave(other, .evicted) }
            return .failure(StoreError(.unavailable, "a capacity is not below nothing"))
        case (.refusedResizeApplies, .resize(let amount)) where amount < 0:
            capacity = 0
            return .failure(StoreError(.unavailable, "a capacity is not below nothing"))
        case (.emptyBulkCountsMiss, .getMany(let keys)) where keys.isEmpty:
            counters.misses! += 1
            return nil
        case (.groupEvictionsUncounted, .within(_, .put)):
            let evictions = counters.evictions
            let result = performSoundly(operation)
            counters.evictions = evictions
            return result
        default:
            if bug.map(Self.ofRefusedWrites.contains) == true {
                return failing(operation) { contents in contents.spoilRefused(operation, place) }
            }
            return slipCrowded(operation, place)
        }
    }

    /// Does an operation, and puts something wrong if the writer fails for it.
    private mutating func failing(
        _ operation: CacheOperation, _ spoil: (inout ReferenceContents) -> Void
    ) -> OperationResult {
        let result = performSoundly(operation)
        if failsWrites, case .failure = result { spoil(&self) }
        return result
    }
}
