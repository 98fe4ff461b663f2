import CacheCore

// What goes to the store behind the cache, and what comes of a change when that fails.
extension CacheModel {
    /// Expects a change to be written; one that need not be, because nothing was there or because the cache alone was
    /// asked, may be.
    mutating func expectWrite(_ place: Place, _ value: [UInt8]?, isOptional: Bool = false) {
        guard claims.hasWriter else { return }
        writer.expect(place.key, value, isOptional: isOptional)
    }

    /// Expects the removal of what was there to be written.
    mutating func expectRemoval(_ place: Place, wasThere: Bool) { expectWrite(place, nil, isOptional: !wasThere) }

    /// Whether an operation, whose key the writer fails for, was answered as if the change had been made; what changes
    /// nothing has nothing to write.
    func overlooksWriter(_ operation: CacheOperation, in group: String?, _ result: OperationResult) -> Bool {
        guard let key = operation.key, writer.isBroken(claims, key) else { return false }
        switch (operation, result) {
        case (_, .failure): return false
        case (.putIfAbsent, .flag(true)), (.replace, .flag(true)), (.compareAndSet, .flag(true)),
            (.setIfMarked, .flag(true)), (.removeIfMarked, .flag(true)), (.exchange, _), (.increment, _),
            (.take, .entry(.some)), (.update(_, .set), _), (.update(_, .countUp), _):
            return true
        case (.update(_, .remove), _): return entries[Place(group: group, key: key)]?.isCertain == true
        default: return false
        }
    }

    /// Whether an operation ended with the writer's error, after which all is as it was.
    func isStoppedByWriter(_ operation: CacheOperation, _ result: OperationResult) -> Bool {
        guard let key = operation.key, case .failure = result else { return false }
        // A new name may be written too.
        if case .rename(_, let other) = operation, writer.isBroken(claims, other) { return true }
        guard writer.isBroken(claims, key) else { return false }
        switch operation {
        case .putIfAbsent, .replace, .compareAndSet, .setIfMarked, .removeIfMarked, .exchange, .increment, .take,
            .update,
            .rename:
            return true
        default: return false
        }
    }

    mutating func judgeFlush(_ result: OperationResult) -> String? {
        if claims.claims(.writeBehind), writer.isFailing, case .failure = result {
            writer.forgive()
            return nil
        }
        let upper = entries.filter { $0.value.isMemoryOnly }.keys
        // What the lower tier had refused may be told of now.
        if lowerFails || !upper.isEmpty, case .failure = result { return nil }
        writer.settle()
        guard result == .done else { return "no error" }
        // What is durable after it is no longer in memory alone.
        if claims.durability >= .exit { for place in upper { entries[place]!.isMemoryOnly = false } }
        return nil
    }
}
