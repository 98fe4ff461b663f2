import CacheCore

/// That there is nothing under a key, as the origin has told, and the cache remembers.
struct KnownAbsences {
    /// Whether it must be remembered still.
    private var certain: [CacheModel.Place: Bool] = [:]

    mutating func insert(_ place: CacheModel.Place) { certain[place] = true }

    mutating func remove(_ place: CacheModel.Place) { certain[place] = nil }

    mutating func forget(group: String) { certain = certain.filter { $0.key.group != group } }

    /// It may be remembered or not from now on.
    mutating func doubt(_ place: CacheModel.Place) { if certain[place] != nil { certain[place] = false } }

    /// Everything may be remembered or not from now on.
    mutating func doubtAll() { certain = certain.mapValues { _ in false } }

    func mustHave(_ place: CacheModel.Place) -> Bool { certain[place] == true }

    func mayHave(_ place: CacheModel.Place) -> Bool { certain[place] != nil }
}
