/// A call of a program to its system, as strace and perf trace print it: `openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 3</etc/hosts>`.
struct SystemCall {
    /// An argument or the result.
    struct Value {
        /// What perf trace writes before an argument, without the colon; empty for none.
        var name: UnsafeRawBufferPointer
        /// The value as it is written, without its file.
        var text: UnsafeRawBufferPointer
        /// The file of a descriptor, as it is written between `<` and `>`; nil for none.
        var file: UnsafeRawBufferPointer?
    }

    /// The name of the call.
    let name: UnsafeRawBufferPointer
    private(set) var arguments: [Value] = []
    /// What the call returned; nil if that is not known, as for a program that ended.
    private(set) var result: Value?

    /// Takes a line apart; nil if it is no call with a result.
    init?(_ line: UnsafeRawBufferPointer) {
        guard let open = Self.openParenthesis(line) else { return nil }
        name = UnsafeRawBufferPointer(rebasing: line[..<open])
        var scan = Scan(line, open + 1)
        while let value = scan.argument() { arguments.append(value) }
        guard scan.isClosed, let result = scan.result() else { return nil }
        self.result = result.text.elementsEqual([0x3f]) ? nil : result
    }

    /// An argument by its place, or by its name where arguments have names.
    func argument(_ index: Int, _ name: String) -> Value? {
        if let first = arguments.first, !first.name.isEmpty {
            return arguments.first { $0.name.elementsEqual(name.utf8) }
        }
        return index < arguments.count ? arguments[index] : nil
    }

    /// Where a line that begins with the name of a call has its parenthesis; nil if it does not.
    static func openParenthesis(_ line: UnsafeRawBufferPointer) -> Int? {
        guard let open = line.firstIndex(of: 0x28), open > 0, open <= 64 else { return nil }
        let isName = line[..<open].allSatisfy { (0x61...0x7a).contains($0) || $0 &- 0x30 <= 9 || $0 == 0x5f }
        return isName && line[0] &- 0x30 > 9 ? open : nil
    }

    /// The bytes that a text in quotes, or a path, stands for.
    static func unescaped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        func digits(_ from: Int, _ most: Int, _ radix: UInt8) -> (value: UInt8, count: Int) {
            var (value, count): (UInt8, Int) = (0, 0)
            while count < most, from + count < text.count, let digit = Self.digit(text[from + count]), digit < radix {
                value = value &* radix &+ digit
                count += 1
            }
            return (value, count)
        }
        while index < text.count {
            guard text[index] == 0x5c, index + 1 < text.count else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let next = text[index + 1]
            let octal = digits(index + 1, 3, 8)
            let hexadecimal = digits(index + 2, next == 0x78 ? 2 : 0, 16)
            if octal.count > 0 {
                bytes.append(octal.value)
                index += 1 + octal.count
            } else if hexadecimal.count > 0 {
                bytes.append(hexadecimal.value)
                index += 2 + hexadecimal.count
            } else {
                bytes.append(escapes[next] ?? next)
                index += 2
            }
        }
        return bytes
    }

    private static let escapes: [UInt8: UInt8] = [
        0x6e: 0x0a, 0x74: 0x09, 0x72: 0x0d, 0x76: 0x0b, 0x66: 0x0c, 0x61: 0x07, 0x62: 0x08, 0x65: 0x1b,
    ]

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x61 + 10
        case 0x41...0x46: byte - 0x41 + 10
        default: nil
        }
    }
}

extension SystemCall.Value {
    /// The bytes of a text in quotes, or of a path without them; nil for a number, an address or a text that was cut.
    var path: [UInt8]? {
        guard let first = text.first else { return nil }
        if first == 0x2f { return Array(text) }
        guard first == 0x22, text.count >= 2, text.last == 0x22 else { return nil }
        return SystemCall.unescaped(UnsafeRawBufferPointer(rebasing: text.dropFirst().dropLast()))
    }

    /// The path of the file of a descriptor; nil if none is written, or it is a pipe, a socket or a terminal.
    var filePath: [UInt8]? {
        guard let file, file.first == 0x2f else { return nil }
        let end = file.firstIndex(of: 0x3c) ?? file.endIndex
        let path = SystemCall.unescaped(UnsafeRawBufferPointer(rebasing: file[..<end]))
        return ["/dev/pts/", "/dev/tty"].contains { path.starts(with: $0.utf8) } ? nil : path
    }

    /// The whole number that is written; nil for anything else.
    var number: Int64? { Fields.fixedPoint(text, decimals: 0) }
}

/// Goes through the arguments of a call.
private struct Scan {
    private let line: UnsafeRawBufferPointer
    private var index: Int
    /// Whether the parenthesis after the last argument was found.
    private(set) var isClosed = false

    init(_ line: UnsafeRawBufferPointer, _ start: Int) { (self.line, index) = (line, start) }

    private func has(_ byte: UInt8, at index: Int) -> Bool { index < line.count && line[index] == byte }

    private mutating func skipBlanks() { while has(0x20, at: index) { index += 1 } }

    /// The next argument, nil after the last.
    mutating func argument() -> SystemCall.Value? {
        skipBlanks()
        guard !isClosed, index < line.count else { return nil }
        let start = index
        var depth = 0
        var file: Range<Int>?
        while index < line.count {
            let byte = line[index]
            switch byte {
            case 0x22: skipQuoted()
            case 0x5b, 0x7b, 0x28: depth += 1
            case 0x5d, 0x7d: depth -= 1
            case 0x29 where depth > 0: depth -= 1
            case 0x29 where depth <= 0, 0x2c where depth <= 0:
                isClosed = byte == 0x29
                defer { index += 1 }
                // `f()` has no argument.
                return isClosed && start == index ? nil : value(start..<index, file)
            case 0x3c where depth == 0 && file == nil && index > start && Self.endsDescriptor(line[index - 1]):
                if let end = fileEnd() {
                    file = index + 1..<end
                    index = end
                }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// What comes after the equals sign.
    mutating func result() -> SystemCall.Value? {
        skipBlanks()
        guard has(0x3d, at: index) else { return nil }
        index += 1
        skipBlanks()
        let start = index
        while index < line.count, line[index] != 0x20, line[index] != 0x3c { index += 1 }
        guard index > start else { return nil }
        let end = index
        let file = has(0x3c, at: index) ? fileEnd().map { index + 1..<$0 } : nil
        return SystemCall.Value(name: part(0..<0), text: part(start..<end), file: file.map { part($0) })
    }

    /// Digits, or the end of AT_FDCWD.
    private static func endsDescriptor(_ byte: UInt8) -> Bool { byte &- 0x30 <= 9 || byte == 0x44 }

    private mutating func skipQuoted() {
        index += 1
        while index < line.count, line[index] != 0x22 { index += line[index] == 0x5c ? 2 : 1 }
    }

    /// Where the file that begins here ends; nil if it does not. Addresses of sockets have `->` between brackets.
    private func fileEnd() -> Int? {
        var (depth, brackets, end) = (0, 0, index)
        while end < line.count {
            switch line[end] {
            case 0x5b: brackets += 1
            case 0x5d: brackets = max(0, brackets - 1)
            case 0x3c where brackets == 0: depth += 1
            case 0x3e where brackets == 0:
                depth -= 1
                if depth == 0 { return end }
            default: break
            }
            end += 1
        }
        return nil
    }

    private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: line[range]) }

    private func value(_ range: Range<Int>, _ file: Range<Int>?) -> SystemCall.Value {
        var text = line[range.lowerBound..<(file.map { $0.lowerBound - 1 } ?? range.upperBound)]
        var name = text[text.startIndex..<text.startIndex]
        let word = text.prefix { (0x61...0x7a).contains($0) || $0 == 0x5f || $0 &- 0x30 <= 9 }
        if !word.isEmpty, has(0x3a, at: word.endIndex), has(0x20, at: word.endIndex + 1) {
            name = word
            text = text[min(word.endIndex + 2, text.endIndex)...]
        }
        return SystemCall.Value(
            name: UnsafeRawBufferPointer(rebasing: name), text: UnsafeRawBufferPointer(rebasing: text),
            file: file.map { part($0) })
    }
}
