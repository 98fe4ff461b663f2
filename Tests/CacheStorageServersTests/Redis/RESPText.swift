import CacheCore

@testable import CacheStorageServers

/// Writes replies as a server would, for the tests: the inverse of the parser.
enum RESPText {
    static func encode(_ value: RESPValue) -> [UInt8] {
        switch value {
        case .null: line("_", "")
        case .simple(let text): line("+", text)
        case .error(let text): line("-", text)
        case .integer(let number): line(":", "\(number)")
        case .double(let number): line(",", "\(number)")
        case .boolean(let flag): line("#", flag ? "t" : "f")
        case .bigNumber(let digits): line("(", digits)
        case .bulk(let bytes): line("$", "\(bytes.count)") + bytes + [13, 10]
        case .verbatim(let format, let bytes):
            line("=", "\(bytes.count + 4)") + Array("\(format):".utf8) + bytes + [13, 10]
        case .array(let elements): collection("*", elements.count, elements)
        case .set(let elements): collection("~", elements.count, elements)
        case .push(let elements): collection(">", elements.count, elements)
        case .map(let elements): collection("%", elements.count / 2, elements)
        }
    }

    private static func line(_ mark: String, _ text: String) -> [UInt8] { Array("\(mark)\(text)\r\n".utf8) }

    private static func collection(_ mark: String, _ count: Int, _ elements: [RESPValue]) -> [UInt8] {
        line(mark, "\(count)") + elements.flatMap(encode)
    }

    /// A random reply; collections at most `depth` deep.
    static func random(_ random: inout SeededGenerator, depth: Int) -> RESPValue {
        switch random.next(below: depth > 0 ? 13 : 9) {
        case 0: return .null
        case 1: return .simple("text \(random.next(below: 1_000))")
        case 2: return .error("ERR number \(random.next(below: 1_000))")
        case 3: return .integer(Int64(bitPattern: random.next()))
        case 4: return .double([0.5, -3, .infinity, -.infinity, 1e300, 4.25][random.next(below: 6)])
        case 5: return .boolean(random.next(below: 2) == 0)
        case 6: return .bigNumber("-\(random.next())\(random.next())")
        case 7: return .bulk(bytes(&random))
        case 8: return .verbatim(format: "txt", bytes(&random))
        case 9: return .array(elements(&random, depth))
        case 10: return .set(elements(&random, depth))
        case 11: return .push(elements(&random, depth))
        default: return .map(elements(&random, depth) + elements(&random, depth) + []).paired()
        }
    }

    private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
        // Many line ends and marks, which must not be taken for structure.
        let letters = Array("\r\n$*+-a\0\u{FF}".utf8)
        return (0..<random.next(below: 12)).map { _ in letters[random.next(below: letters.count)] }
    }

    private static func elements(_ random: inout SeededGenerator, _ depth: Int) -> [RESPValue] {
        (0..<random.next(below: 4)).map { _ in Self.random(&random, depth: depth - 1) }
    }
}

extension RESPValue {
    /// A map without the key that has no value.
    fileprivate func paired() -> RESPValue {
        guard case .map(let elements) = self, elements.count % 2 == 1 else { return self }
        return .map(elements.dropLast())
    }
}
