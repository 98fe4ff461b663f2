internal import Foundation

/// One part of a value, on its way to canonical bytes.
///
/// A part is a letter for its kind and what is needed to tell it from every other of that kind; counts are integers in the
/// same form. n: nil. b: 0 or 1. i: the digits, ended by `;`. d: eight bytes, IEEE 754, big-endian. s: a count and UTF-8 in
/// NFC. y: a count and bytes. t: a d, seconds since 2001. a: a count and the elements. r: a count and, by name, s and
/// element. m: a count and, by key, key and element. u: a count and the elements, sorted.
final class CanonicalNode {
    private enum Kind { case nothing, leaf, list, record }

    private var kind = Kind.nothing
    private var leaf: [UInt8] = []
    private var elements: [CanonicalNode] = []
    private var members: [String: CanonicalNode] = [:]

    /// What is written once nothing more comes.
    var bytes: [UInt8] {
        switch kind {
        case .nothing, .record: Self.unordered("r", members.map { Self.text($0.key) + $0.value.bytes })
        case .leaf: leaf
        case .list: Self.kind("a", elements.map(\.bytes))
        }
    }

    /// Makes it a single value.
    func set(_ bytes: [UInt8]) {
        kind = .leaf
        leaf = bytes
    }

    /// Makes it a list, if it is nothing yet.
    func becomeList() { if kind == .nothing { kind = .list } }

    /// Makes it a record, if it is nothing yet.
    func becomeRecord() { if kind == .nothing { kind = .record } }

    /// A new last element of the list.
    func append() -> CanonicalNode {
        elements.append(CanonicalNode())
        return elements[elements.count - 1]
    }

    /// The number of elements in the list.
    var count: Int { elements.count }

    /// A new member of the record, in the place of one that has that name.
    func member(_ name: String) -> CanonicalNode {
        let node = CanonicalNode()
        members[name] = node
        return node
    }

    static let null: [UInt8] = letter("n")
    static func boolean(_ value: Bool) -> [UInt8] { letter("b") + [value ? 1 : 0] }
    static func integer(_ value: some BinaryInteger) -> [UInt8] { letter("i") + Array("\(value);".utf8) }

    static func floating(_ value: Double) -> [UInt8] {
        // Equal values have equal bytes: both zeros, and every NaN is one.
        let unique = value == 0 ? 0 : value.isNaN ? Double.nan : value
        let bits = unique.bitPattern
        return letter("d") + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    }

    static func text(_ value: String) -> [UInt8] {
        let utf8 = value.composedUTF8
        return letter("s") + integer(utf8.count) + utf8
    }

    static func data(_ value: Data) -> [UInt8] { letter("y") + integer(value.count) + Array(value) }
    static func date(_ value: Date) -> [UInt8] { letter("t") + floating(value.timeIntervalSinceReferenceDate) }

    /// Elements that have no order of their own: a set, or a dictionary's keys with their values.
    static func unordered(_ kind: Character, _ elements: [[UInt8]]) -> [UInt8] {
        self.kind(kind, elements.sorted { $0.lexicographicallyPrecedes($1) })
    }

    private static func kind(_ kind: Character, _ elements: [[UInt8]]) -> [UInt8] {
        letter(kind) + integer(elements.count) + elements.joined()
    }

    private static func letter(_ letter: Character) -> [UInt8] { Array(String(letter).utf8) }
}
