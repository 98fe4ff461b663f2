public import CacheCore

/// Which entries bear which tags: a doubly linked list for each tag, a singly linked one for each entry.
///
/// Adding is O(1), taking an entry's tags away O(its tags), finding a tag's entries O(entries). Memory: 20 bytes for each
/// tag of each entry, 4 for each id, and the names once.
@usableFromInline
struct TagTable {
    private struct Link {
        var id: ObjectID
        var tag: UInt32
        var next: UInt32
        var previous: UInt32
        var nextOfEntry: UInt32
    }

    private static let none = UInt32.max
    private var numbers: [String: UInt32] = [:]
    private var names: [String] = []
    private var heads: [UInt32] = []
    private var counts: [Int] = []
    private var freeTag = none
    private var links: [Link] = []
    private var freeLink = none
    private var firstOfEntry: [UInt32] = []

    @usableFromInline init() {}

    /// The number of entries with a tag. O(1).
    func count(of name: String) -> Int { numbers[name].map { counts[Int($0)] } ?? 0 }

    /// The tags that some entry bears, in no order.
    var allNames: [String] { Array(numbers.keys) }

    /// The entries with a tag. O(entries).
    func ids(of name: String) -> [ObjectID] {
        guard let tag = numbers[name] else { return [] }
        var found: [ObjectID] = []
        found.reserveCapacity(counts[Int(tag)])
        var link = heads[Int(tag)]
        while link != Self.none {
            found.append(links[Int(link)].id)
            link = links[Int(link)].next
        }
        return found
    }

    /// The tags of an entry. O(its tags).
    func names(of id: ObjectID) -> [String] {
        var found: [String] = []
        var link = first(of: id)
        while link != Self.none {
            found.append(names[Int(links[Int(link)].tag)])
            link = links[Int(link)].nextOfEntry
        }
        return found
    }

    /// Adds a tag to an entry; does nothing if it bears it. O(its tags).
    mutating func add(_ name: String, to id: ObjectID) {
        let tag = number(of: name)
        var other = first(of: id)
        while other != Self.none {
            if links[Int(other)].tag == tag { return }
            other = links[Int(other)].nextOfEntry
        }
        while firstOfEntry.count <= Int(id) { firstOfEntry.append(Self.none) }
        let head = heads[Int(tag)]
        let link = newLink(
            Link(id: id, tag: tag, next: head, previous: Self.none, nextOfEntry: firstOfEntry[Int(id)]))
        if head != Self.none { links[Int(head)].previous = link }
        heads[Int(tag)] = link
        firstOfEntry[Int(id)] = link
        counts[Int(tag)] += 1
    }

    /// Takes every tag of an entry away. O(its tags).
    @usableFromInline
    mutating func removeAll(of id: ObjectID) {
        var link = first(of: id)
        guard link != Self.none else { return }
        firstOfEntry[Int(id)] = Self.none
        while link != Self.none {
            let record = links[Int(link)]
            unlink(record)
            links[Int(link)].next = freeLink
            freeLink = link
            link = record.nextOfEntry
        }
    }

    private func first(of id: ObjectID) -> UInt32 { Int(id) < firstOfEntry.count ? firstOfEntry[Int(id)] : Self.none }

    private mutating func unlink(_ record: Link) {
        let tag = Int(record.tag)
        if record.previous == Self.none {
            heads[tag] = record.next
        } else {
            links[Int(record.previous)].next = record.next
        }
        if record.next != Self.none { links[Int(record.next)].previous = record.previous }
        counts[tag] -= 1
        // A tag without entries is forgotten, or names would pile up.
        if counts[tag] == 0 {
            numbers[names[tag]] = nil
            names[tag] = ""
            heads[tag] = freeTag
            freeTag = UInt32(tag)
        }
    }

    private mutating func newLink(_ link: Link) -> UInt32 {
        guard freeLink != Self.none else {
            links.append(link)
            return UInt32(links.count - 1)
        }
        let place = freeLink
        freeLink = links[Int(place)].next
        links[Int(place)] = link
        return place
    }

    private mutating func number(of name: String) -> UInt32 {
        if let tag = numbers[name] { return tag }
        let tag: UInt32
        if freeTag != Self.none {
            tag = freeTag
            freeTag = heads[Int(tag)]
            names[Int(tag)] = name
            heads[Int(tag)] = Self.none
        } else {
            tag = UInt32(names.count)
            names.append(name)
            heads.append(Self.none)
            counts.append(0)
        }
        numbers[name] = tag
        return tag
    }
}
