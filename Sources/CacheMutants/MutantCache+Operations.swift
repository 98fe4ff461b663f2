import CacheConformance
import CacheCore
import CacheReference
import Synchronization

// Operations that are taken for others, and answers that are wrong.
extension MutantCache {
    /// The operation with the names, values and numbers that the defect makes of it.
    func renamed(_ operation: CacheOperation) -> CacheOperation {
        switch mutation.operator {
        case .key: operation.mapping(key: key)
        case .group: operation.mapping(group: name)
        case .tag: operation.mapping(tag: name)
        case .value where mutation.concerns(operation): operation.mapping(value: value)
        case .cost where mutation.concerns(operation) && mutation.argument == "plus":
            operation.mapping(terms: { terms in
                var terms = terms
                terms.cost += mutation.number
                return terms
            })
        case .life where mutation.concerns(operation): operation.mapping(terms: lived)
        case .room: sized(operation)
        default: operation
        }
    }

    private func key(_ key: [UInt8]) -> [UInt8] {
        let text = String(decoding: key, as: UTF8.self)
        func bytes(_ hash: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) } }
        switch mutation.argument {
        case "lowercase": return Array(text.lowercased().utf8)
        case "few": return contents.withLock { $0.setup.collide } == true ? [UInt8(key.count % 4)] : key
        case "hash31": return bytes(key.reduce(0) { $0 &* 31 &+ UInt32($1) })
        case "suffix": return Array(key.suffix(mutation.number))
        case "prefix": return Array(key.prefix(mutation.number))
        case "nul": return Array(key.prefix { $0 != 0 })
        case "repair": return Array(text.utf8)
        case "number": return Double(text).map { Array("\($0)".utf8) } ?? key
        // Swift compares strings by canonical equivalence, and so does a dictionary of them.
        case "normal":
            guard Array(text.utf8) == key else { return key }
            return memory.withLock { memory in
                let known = memory.seen.first { String(decoding: $0.key, as: UTF8.self) == text }
                if known == nil { memory.seen.insert(EntryID(key: key)) }
                return known?.key ?? key
            }
        case "path":
            let parts = key.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
            return Array(parts.joined(separator: [UInt8(ascii: "/")]))
        default: preconditionFailure("\(mutation.id) renames nothing")
        }
    }

    private func name(_ name: String) -> String {
        mutation.argument == "prefix" ? String(name.prefix(mutation.number)) : name.lowercased()
    }

    private func value(_ value: [UInt8]) -> [UInt8] {
        switch mutation.argument {
        case "crlf":
            value.indices.first { value[$0...].starts(with: [13, 10]) }.map { Array(value[..<$0]) } ?? value
        case "short": value.count == mutation.number ? value.dropLast() : value
        default: value
        }
    }

    private func lived(_ terms: PutTerms) -> PutTerms {
        var terms = terms
        guard let time = terms.timeToLiveNanoseconds else { return terms }
        switch mutation.argument {
        case "forever": if time <= 0 { terms.timeToLiveNanoseconds = nil }
        // More than thirty days are taken for a date.
        case "date":
            let now = contents.withLock { $0.now }
            if time > 30 * 86_400 * 1_000_000_000 { terms.timeToLiveNanoseconds = max(1, time &- now) }
        default: break
        }
        return terms
    }

    private func sized(_ operation: CacheOperation) -> CacheOperation {
        guard case .resize(let amount) = operation, amount >= 0 else { return operation }
        return .resize(mutation.room(amount, contents.withLock { $0.unit }))
    }

    // MARK: Another operation

    /// Does another operation, and answers as the one that was asked.
    func replaced(_ operation: CacheOperation) -> OperationResult {
        let before = contents.withLock { $0 }
        guard facts(operation, before, nil, nil) else { return sound(operation) }
        let (inner, group) = operation.inner
        let key = inner.key ?? []
        let live = before.live(EntryID(group: group, key: key))
        switch (mutation.argument, inner) {
        case ("put", .replace(_, let payload, let terms)), ("put", .putIfAbsent(_, let payload, let terms)):
            let result = sound(.put(key, payload, terms: terms))
            let isReplace = if case .replace = inner { true } else { false }
            return result == .done ? .flag((live != nil) == isReplace) : result
        case ("put", .compareAndSet(_, _, let payload)), ("put", .setIfMarked(_, let payload)):
            guard live != nil else { return .flag(false) }
            return sound(.put(key, payload)) == .done ? .flag(true) : .flag(false)
        case ("length", .compareAndSet(_, let expected, let payload)):
            let isSame = live?.stored.value.count == expected.bytes(for: key).count
            return isSame && sound(.put(key, payload)) == .done ? .flag(true) : .flag(false)
        case ("remove", .removeIfMarked): return sound(.remove(key))
        case ("removeAll", _): return sound(.removeAll)
        case ("advance", .moveWallClock(let step)):
            return sound(.advance(nanoseconds: step))
        case ("plain", .remove):
            _ = sound(.remove(key))
            return sound(operation)
        case ("elsewhere", .get):
            let other = before.entries.keys.first { $0.key == key && before.live($0) != nil }
            return sound(other?.group.map { .within(group: $0, inner) } ?? inner)
        case ("revived", .touch(_, let time)):
            guard let dead = before.entries[EntryID(key: key)] else { return sound(operation) }
            _ = sound(.put(key, .bytes(dead.stored.value), terms: PutTerms(timeToLiveNanoseconds: time)))
            return .flag(true)
        default: return sound(operation)
        }
    }

    /// Lists the first keys of many, as if there were nothing more.
    func limited(_ operation: CacheOperation) -> OperationResult {
        guard case .keys(let keys) = sound(operation) else { return sound(operation) }
        return .keys(Array(keys.prefix(mutation.number)))
    }

    // MARK: Answers

    func answered(_ operation: CacheOperation) -> OperationResult {
        let before = contents.withLock { $0 }
        if mutation.operator == .repeats { return repeated(operation, before) }
        if mutation.argument == "nothing" || mutation.argument == "text", facts(operation, before, nil, nil) {
            return .entry(mutation.argument == "text" ? StoredEntry(Array("null".utf8)) : nil)
        }
        let result = sound(operation)
        guard facts(operation, before, nil, result) else { return result }
        return contents.withLock { bent(result, operation, before, $0) }
    }

    /// Answers what was answered to the same question before, where that is remembered.
    private func repeated(_ operation: CacheOperation, _ before: ReferenceContents) -> OperationResult {
        if mutation.conditions.contains(.failed), let key = operation.key {
            let id = EntryID(group: operation.inner.group, key: key)
            if memory.withLock({ $0.hasFailed.contains(id) }) { return .loaded(.failed, calls: 0) }
            let result = sound(operation)
            if case .loaded(.failed, _) = result { memory.withLock { _ = $0.hasFailed.insert(id) } }
            return result
        }
        if let known = memory.withLock({ $0.answers[operation] }) { return known }
        let result = sound(operation)
        memory.withLock { $0.answers[operation] = result }
        return result
    }

    private func bent(
        _ result: OperationResult, _ operation: CacheOperation, _ before: ReferenceContents, _ after: ReferenceContents
    ) -> OperationResult {
        switch (mutation.argument, result) {
        case ("true", .flag): return .flag(true)
        case ("false", .flag): return .flag(false)
        case ("new", .entry): return .entry(operation.entry)
        case ("asked", .flags(let flags)): return .flags(flags.map { _ in true })
        case ("sorted", .entries(let found)): return .entries(found.filter { $0 != nil } + found.filter { $0 == nil })
        case ("plus", .number(let number)): return .number(number + mutation.number)
        case ("restored", .number(let number)):
            return .number(max(0, number - (operation == .diskUsage ? number : memory.withLock { $0.restored.count })))
        case ("twice", .keys(let keys)):
            return .keys(keys + keys.filter { (before.entries[EntryID(key: $0)]?.reads ?? 0) > 1 })
        case ("group", .keys), ("group", .number):
            let all = before.entries.keys.map(\.key).sorted { $0.lexicographicallyPrecedes($1) }
            return if case .keys = result { .keys(all) } else { .number(all.count) }
        case ("whole", .time): return .time(before.live(EntryID(key: operation.key!))?.terms.timeToLiveNanoseconds)
        case ("one", .statistics(var counters)):
            if counters.hitRatio == 0 { counters.hitRatio = .nan }
            return .statistics(counters)
        case ("failure", _): return .failure(StoreError(.inputOutput, "busy"))
        case ("givenUp", .loaded(_, calls: 0)):
            let isGivenUp = memory.withLock { $0.givenUp.contains(operation.key!) }
            return isGivenUp ? .loaded(.failed, calls: 0) : result
        case ("failed", .loaded(_, let calls)): return .loaded(.failed, calls: calls)
        case ("asksAll", .loadedMany(let outcomes, _)):
            if case .loadMany(let keys, _, _) = operation { return .loadedMany(outcomes, asked: keys) }
            return result
        default: return result
        }
    }
}

extension Mutation {
    /// The capacity that a cache with this defect takes for an amount.
    func room(_ amount: Int, _ unit: Capacity.Unit) -> Int {
        guard self.operator == .room else { return amount }
        switch argument {
        case "none": return .max
        case "noneForBytes": return unit == .bytes ? .max : amount
        case "zeroIsNone": return amount == 0 ? .max : amount
        case "twice": return amount > .max / 2 ? .max : 2 * amount
        default: return amount == .max ? amount : amount + number
        }
    }
}
