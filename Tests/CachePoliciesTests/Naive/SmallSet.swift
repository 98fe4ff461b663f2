import CacheCore

/// A set of ids below 64 in one word: the comparison with naive models makes three of them after every request, which took
/// longer as hashed sets than the policies and models together.
struct SmallSet: Equatable, ExpressibleByArrayLiteral, CustomStringConvertible {
    private var bits: UInt64 = 0

    init() {}

    init(_ ids: some Sequence<ObjectID>) {
        for id in ids {
            precondition(id < 64, "a small set has ids below 64")
            bits |= 1 << id
        }
    }

    init(arrayLiteral ids: ObjectID...) { self.init(ids) }

    var description: String { (0..<ObjectID(64)).filter { bits >> $0 & 1 == 1 }.description }

    func filter(_ isIncluded: (ObjectID) -> Bool) -> SmallSet {
        var rest = bits
        var kept = SmallSet()
        while rest != 0 {
            let id = ObjectID(rest.trailingZeroBitCount)
            rest &= rest - 1
            if isIncluded(id) { kept.bits |= 1 << id }
        }
        return kept
    }

    func union(_ other: SmallSet) -> SmallSet {
        var both = self
        both.formUnion(other)
        return both
    }

    mutating func formUnion(_ other: SmallSet) { bits |= other.bits }
    mutating func subtract(_ other: SmallSet) { bits &= ~other.bits }
}
