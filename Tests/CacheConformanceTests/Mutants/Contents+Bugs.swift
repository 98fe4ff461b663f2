import CacheCore

// The operations of the reference on its contents, and what the mutants do instead.
extension Contents {
    mutating func forget(_ key: [UInt8]) {
        entries[key] = nil
        names[key] = nil
    }

    mutating func read(_ key: [UInt8], _ bug: Bug?) -> StoredEntry? {
        var entry = entries[key]
        switch bug {
        case .matchesByPrefix: entry = entry ?? entries.first { $0.key.starts(with: key) }?.value
        case .consumesOnGet: forget(key)
        case .ghostOfLarge: entry = entry ?? shadow[key]
        case .missCreates: if entry == nil { extraKeys.append(key) }
        case .emptyIsMiss: if entry?.value.isEmpty == true { entry = nil }
        case .sharesLargeBuffer: if entry?.value.count ?? 0 >= 4_096 { entry = last.flatMap { entries[$0] } }
        default: break
        }
        return entry
    }

    mutating func write(_ entry: StoredEntry, _ key: [UInt8], _ name: [UInt8], _ bug: Bug?) {
        let old = entries[key]
        opensSinceWrite = 0
        guard let kept = kept(entry, over: old, key, bug) else { return }
        if bug == .countsOverwrites || bug == .listsVersions, old != nil { drift += 1 }
        if bug == .listsVersions, old != nil { extraKeys.append(name) }
        if bug == .stacksVersions, let old { versions[key, default: []].append(old) }
        if bug == .losesBuckets { loseNeighbours(of: key) }
        if bug != .sharesLargeBuffer || kept.value.count >= 4_096 { last = key }
        if bug == .clearKeepsCount, old == nil { drift += 1 }
        remembered.insert(key)
        if bug == .ghostOfLarge, kept.value.count > 4_096 { shadow[key] = kept }
        if bug == .removalsNotWritten { shadow[key] = kept }
        entries[key] = kept
        if names[key] == nil { names[key] = name }
    }

    /// Drops what lies in the same of 16 buckets.
    private mutating func loseNeighbours(of key: [UInt8]) {
        func bucket(_ key: [UInt8]) -> UInt8 { key.reduce(0) { $0 &* 31 &+ $1 } & 15 }
        for other in entries.keys where other != key && bucket(other) == bucket(key) { forget(other) }
    }

    /// What a mutant stores for an entry; nil for nothing.
    private mutating func kept(
        _ entry: StoredEntry, over old: StoredEntry?, _ key: [UInt8], _ bug: Bug?
    ) -> StoredEntry? {
        var entry = entry
        switch bug {
        case .keepsFirst where old != nil, .neverFillsAgain where isCleared: return nil
        case .clearLate where isCleared:
            isCleared = false
            return nil
        case .loosesPutAfterContains where last == key:
            last = nil
            return nil
        case .keepsTailOfOld:
            if let old, old.value.count > entry.value.count { entry.value += old.value[entry.value.count...] }
        case .lengthOfSixteenBits: entry.value = Array(entry.value.prefix(entry.value.count & 0xFFFF))
        case .cutsAtNUL: entry.value = Array(entry.value.prefix { $0 != 0 })
        case .cutsAtCRLF:
            if let end = entry.value.indices.dropLast().first(where: {
                entry.value[$0] == 13 && entry.value[$0 + 1] == 10
            }) {
                entry.value = Array(entry.value[..<end])
            }
        case .expiryInMilliseconds:
            entry.expiresAtNanoseconds = entry.expiresAtNanoseconds.map { $0 / 1_000_000 * 1_000_000 }
        case .inheritsExpiry: entry.expiresAtNanoseconds = entry.expiresAtNanoseconds ?? old?.expiresAtNanoseconds
        default: break
        }
        return entry
    }

    mutating func remove(_ key: [UInt8], _ bug: Bug?) -> Bool {
        let hasBeen = entries[key] != nil || (bug == .ghostOfLarge && shadow[key] != nil)
        if bug == .ignoresRemove { return hasBeen }
        if bug == .resurrectsAtRemove, !hasBeen, entries.isEmpty {
            entries = shadow
            for key in shadow.keys { names[key] = key }
        }
        if bug == .stacksVersions, let older = versions[key]?.popLast() {
            entries[key] = older
            return true
        }
        forget(key)
        return hasBeen || bug == .removeAlwaysTrue
    }

    mutating func clear(_ bug: Bug?) {
        let survivor: [UInt8]? =
            switch bug {
            case .clearSkips: entries.count > 2 ? entries.keys.max { $0.lexicographicallyPrecedes($1) } : nil
            case .clearOvertaken: last
            default: nil
            }
        let kept = survivor.flatMap { key in entries[key].map { (key, $0, names[key] ?? key) } }
        if bug == .resurrectsAtRemove { shadow = entries }
        entries = [:]
        names = [:]
        isCleared = true
        if bug == .removalsNotWritten { shadow = [:] }
        if let kept { (entries[kept.0], names[kept.0]) = (kept.1, kept.2) }
    }

    func count(_ bug: Bug?) -> Int {
        switch bug {
        case .countsOverwrites: entries.count + drift
        case .clearKeepsCount: isCleared ? drift : entries.count
        case .countsSentinel: max(1, entries.count)
        case .missCreates: entries.count + extraKeys.count
        default: entries.count
        }
    }

    func list(_ bug: Bug?) -> [[UInt8]] {
        let keys = entries.keys.map { names[$0] ?? $0 }.sorted { $0.lexicographicallyPrecedes($1) }
        switch bug {
        case .listsTwice: return keys.count > 1 ? keys + [keys[0]] : keys
        case .listsOnePage: return Array(keys.prefix(3))
        case .listsDigests: return keys.map { $0.count > 100 ? Array($0.prefix(100)) : $0 }
        case .listsVersions, .missCreates: return keys + extraKeys
        case .indexDrifts: return keys + extraKeys.filter { entries[$0] == nil }
        default: return keys
        }
    }
}
