import CacheConformance
import CacheCore

// What keys, groups and tags are called.
extension ReferenceContents {
    func map(_ group: String) -> String {
        switch bug {
        case .fewGroups: String(group.prefix(8))
        case .groupNamesCut: String(group.prefix(255))
        case .groupFoldsCase: group.lowercased()
        default: group
        }
    }

    func has(_ entry: Entry, _ tag: String) -> Bool {
        switch bug {
        case .tagsByPrefix: entry.terms.tags.contains { $0.hasPrefix(tag) }
        case .tagNamedTwiceStays:
            // One mention is taken away, and the entry stays as long as there is another.
            entry.terms.tags.count { $0 == tag } == 1
        case .tagIsPattern: entry.terms.tags.contains { Self.fits($0, tag) }
        case .tagsBeyond32: entry.terms.tags.prefix(32).contains(tag)
        case .tagFoldsCase: entry.terms.tags.contains { $0.lowercased() == tag.lowercased() }
        default: entry.terms.tags.contains(tag)
        }
    }

    /// Whether a name is another, in which a star at the end stands for the rest.
    static func fits(_ name: String, _ pattern: String) -> Bool {
        pattern.last == "*" ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }

    mutating func place(_ key: [UInt8], in group: String?) -> Place {
        if bug == .normalisesUnicode {
            let text = String(decoding: key, as: UTF8.self)
            if names[text] == nil { names[text] = key }
        }
        return mapped(key, in: group)
    }

    func mapped(_ key: [UInt8], in group: String?) -> Place {
        var key = key
        if bug == .foldsCase { key = Array(String(decoding: key, as: UTF8.self).lowercased().utf8) }
        if bug == .collides {
            let hash = key.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
            key = (0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
        }
        if bug == .keysAsNumbers, let number = Double(String(decoding: key, as: UTF8.self)) {
            key = Array("\(number)".utf8)
        }
        if bug == .shortDigest { key = Array(key.suffix(8)) }
        if bug == .normalisesUnicode || bug == .repairsUTF8 {
            let text = String(decoding: key, as: UTF8.self)
            let isText = Array(text.utf8) == key
            if bug == .repairsUTF8 { key = Array(text.utf8) }
            // Swift compares strings by canonical equivalence: so does a dictionary of strings.
            if bug == .normalisesUnicode, isText { key = names[text] ?? key }
        }
        if bug == .joinsNames, let group { return Place(group: "", key: Array(group.utf8) + Array("/".utf8) + key) }
        return Place(group: group, key: key)
    }
}
