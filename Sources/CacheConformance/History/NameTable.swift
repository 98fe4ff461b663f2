internal import CacheCore

/// Names with dense numbers from 0, in order of first appearance. O(length) a look-up.
public struct NameTable: Sendable {
    private var arena: [UInt8] = []
    private var ends: [Int] = []
    private var slots: [Int32]

    /// A table without names.
    public init() { slots = [Int32](repeating: -1, count: 16) }

    /// A table whose number 0 is the absence of a value, which no text has.
    static var ofValues: NameTable {
        var table = NameTable()
        // A text of this form cannot be read from a file, since texts are UTF-8 there.
        _ = table.number(of: [0xFF, 0x00])
        return table
    }

    /// How many names there are.
    public var count: Int { ends.count }

    /// The number of a name, which is given one if it has none.
    public mutating func number(of name: [UInt8]) -> Int32 { name.withRawBytes { number(of: $0) } }

    /// The number of a name, which is given one if it has none.
    public mutating func number(of name: String) -> Int32 { number(of: Array(name.utf8)) }

    mutating func number(of name: UnsafeRawBufferPointer) -> Int32 {
        var slot = home(of: name)
        while slots[slot] >= 0 {
            if isName(slots[slot], name) { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = Int32(ends.count)
        arena.append(contentsOf: name)
        ends.append(arena.count)
        slots[slot] = number
        if ends.count * 2 > slots.count { grow() }
        return number
    }

    /// A name's bytes; none for a number that has no name.
    public func bytes(of number: Int32) -> [UInt8] {
        guard number >= 0, Int(number) < ends.count else { return [] }
        return Array(arena[start(of: number)..<ends[Int(number)]])
    }

    /// A name as text; `#number` for a number that has no name.
    public func text(of number: Int32) -> String {
        Int(number) < ends.count && number >= 0 ? String(decoding: bytes(of: number), as: UTF8.self) : "#\(number)"
    }

    private func start(of number: Int32) -> Int { number == 0 ? 0 : ends[Int(number) - 1] }

    private func isName(_ number: Int32, _ name: UnsafeRawBufferPointer) -> Bool {
        let start = start(of: number)
        guard ends[Int(number)] - start == name.count else { return false }
        return arena.withUnsafeBytes {
            UnsafeRawBufferPointer(rebasing: $0[start..<start + name.count]).isEqual(to: name)
        }
    }

    private func home(of name: UnsafeRawBufferPointer) -> Int {
        Int(truncatingIfNeeded: Checksum64.checksum(of: name)) & (slots.count - 1)
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for number in 0..<Int32(ends.count) {
            var slot = arena.withUnsafeBytes {
                home(of: UnsafeRawBufferPointer(rebasing: $0[start(of: number)..<ends[Int(number)]]))
            }
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = number
        }
    }
}
