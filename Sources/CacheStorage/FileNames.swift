import CacheCore

/// Turns keys into file names and back, one to one on every file system.
///
/// Names use lower-case letters and digits alone, so that folding of case or Unicode cannot make two of them equal. A
/// short key is spelled in hexadecimal after `k`; a long one is named after its SHA-256 digest after `h`, and its bytes
/// are in the file. Files are spread over 256 directories by a hash of the key.
struct FileNames: Sendable {
    /// The longest key that is spelled out: its name, 201 bytes, fits every common file system.
    static let spelledKeyBytesMax = 100

    /// The store's directory, ended by a slash.
    private let root: [CChar]
    private let temporaryPrefix: [CChar]

    init(root: String) {
        self.root = Self.characters(root + "/")
        temporaryPrefix = self.root + Self.characters("tmp/t")
    }

    /// The path of a key's file, ended by a zero.
    func path(of key: [UInt8]) -> [CChar] {
        var path: [CChar] = []
        let isSpelled = key.count <= Self.spelledKeyBytesMax
        path.reserveCapacity(root.count + (isSpelled ? 2 * key.count : 64) + 5)
        path.append(contentsOf: root)
        Self.appendHex(Self.shard(of: key), to: &path)
        path.append(CChar(bitPattern: UInt8(ascii: "/")))
        path.append(CChar(bitPattern: isSpelled ? UInt8(ascii: "k") : UInt8(ascii: "h")))
        if isSpelled {
            for byte in key { Self.appendHex(byte, to: &path) }
        } else {
            path.append(contentsOf: Self.characters(SHA256.hexadecimal(of: key)))
        }
        path.append(0)
        return path
    }

    /// The path of an entry's directory, ended by a zero.
    func shard(of path: [CChar]) -> [CChar] { Array(path[..<(root.count + 2)]) + [0] }

    /// The path of the temporary file with a number, ended by a zero.
    func temporary(_ number: UInt64) -> [CChar] { temporaryPrefix + Self.characters(String(number)) + [0] }

    /// The path of something in the root by its name, ended by a zero; the root itself for an empty name.
    func child(_ name: [UInt8]) -> [CChar] {
        name.isEmpty ? Array(root.dropLast()) + [0] : root + name.map { CChar(bitPattern: $0) } + [0]
    }

    /// The path of something in the root by its name, ended by a zero.
    func child(_ name: String) -> [CChar] { child(Array(name.utf8)) }

    /// The path of something in one of the root's directories, ended by a zero.
    func grandchild(_ directory: [UInt8], _ name: [UInt8]) -> [CChar] { child(directory + [UInt8(ascii: "/")] + name) }

    /// Whether a name in the temporary directory is one of ours.
    static func isTemporary(_ name: [UInt8]) -> Bool {
        name.first == UInt8(ascii: "t") && name.count > 1 && name.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    /// Whether a name in the root is one of the 256 directories.
    static func isShard(_ name: [UInt8]) -> Bool { name.count == 2 && name.allSatisfy { digit($0) != nil } }

    /// What an entry's file name says about its key.
    enum Meaning: Equatable {
        case key([UInt8])
        case digest
        case foreign
    }

    /// The meaning of a name in the directory `shard`; anything that this type would not have written is foreign.
    static func meaning(of name: [UInt8], in shard: [UInt8]) -> Meaning {
        guard let first = name.first, name.count % 2 == 1 else { return .foreign }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.count / 2)
        for index in stride(from: 1, to: name.count, by: 2) {
            guard let high = digit(name[index]), let low = digit(name[index + 1]) else { return .foreign }
            bytes.append(high << 4 | low)
        }
        if first == UInt8(ascii: "h"), bytes.count == 32 { return .digest }
        guard first == UInt8(ascii: "k"), bytes.count <= spelledKeyBytesMax else { return .foreign }
        let home = self.shard(of: bytes)
        return [hexDigit(home >> 4), hexDigit(home & 15)] == shard ? .key(bytes) : .foreign
    }

    private static func shard(of key: [UInt8]) -> UInt8 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return UInt8(truncatingIfNeeded: mix64(hash))
    }

    private static func characters(_ text: String) -> [CChar] { text.utf8.map { CChar(bitPattern: $0) } }

    private static func appendHex(_ byte: UInt8, to name: inout [CChar]) {
        name.append(CChar(bitPattern: hexDigit(byte >> 4)))
        name.append(CChar(bitPattern: hexDigit(byte & 15)))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    private static func digit(_ letter: UInt8) -> UInt8? {
        switch letter {
        case 48...57: letter - 48
        case 97...102: letter - 87
        default: nil
        }
    }
}

extension FileNames {
    /// Whether a name in a shard is an entry's.
    static func isEntry(_ name: [UInt8], in shard: [UInt8]) -> Bool { meaning(of: name, in: shard) != .foreign }
}
