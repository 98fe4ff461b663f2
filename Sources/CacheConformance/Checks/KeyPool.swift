import CacheCore

/// Keys that have broken caches, by the way they broke them.
enum KeyPool {
    /// What file systems, shells and URLs treat as special.
    static let pathHostile: [[UInt8]] = [
        "/", "//", "/etc", "a/b", "a//b", "a/./b", "a/../b", "..", ".", "../x", "../../x", "../../../x", "..\\x", "\\",
        "a\\b",
        ".hidden", "hidden", "A.1", "A.2", "A", "A.", "a ", "a", " a", "a\t", "CON", "nul", "aux.txt", "a:b", "a*b",
        "a?b",
        "a\"b", "a<b", "a>b", "a|b", "a%2Fb", "a%2fb", "%", "%00", "~", "$HOME", "a;b", "a&b", "a'b", "a`b", "-rf", "#",
        "a#b",
    ].map { Array($0.utf8) }

    /// What a store cannot make a file name of as it is: longer than a name may be, whole or after the last dot, with many dots, or
    /// with a NUL in the middle.
    static let unfileable: [[UInt8]] = [
        "long-" + String(repeating: "n", count: 260), "page.html" + String(repeating: "x", count: 240),
        "image.jpg?size=large&dots=1.2.3", "archive.tar.gz", "archive.tar", "..archive", "archive..", "cut\0here",
        "cut",
    ].map { Array($0.utf8) }

    /// Keys that differ in the case of letters alone.
    static let casePairs: [[UInt8]] = [
        "readme", "README", "Readme", "straße", "STRASSE", "STRAẞE", "ı", "I", "i", "İ", "ǅ", "ǆ", "Ǆ", "Σ", "σ", "ς",
    ].map { Array($0.utf8) }

    /// What reads as the same number, or names what objects of a language have: maps that are no maps of bytes.
    static let lookalikes: [[UInt8]] = [
        "1", "01", "001", "+1", "-1", "1.0", "1e0", "0x1", " 1", "0", "00", "-0", "18446744073709551617", "constructor",
        "toString", "__proto__", "hasOwnProperty", "length", "true", "null", "undefined", "None",
    ].map { Array($0.utf8) }

    /// Texts that Unicode calls equal, or that look equal, in different bytes, and one as languages write it in ASCII.
    static let unicode: [[UInt8]] = [
        "caf\u{E9}", "cafe\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{1E9B}\u{323}", "\u{1E69}", "s\u{323}\u{307}",
        "s\u{307}\u{323}", "\u{AC00}", "\u{1100}\u{1161}", "ﬁ", "fi", "👩‍👩‍👧", "👩👩👧", "a\u{200D}b", "ab",
        "\u{202E}abc", "\u{FEFF}abc", "abc", "עברית", "\u{5D0}\u{5B0}",
        "é", #"\xe9"#, #"\u00e9"#, #"\xc3\xa9"#, "%C3%A9", "&eacute;", "=C3=A9",
    ].map { Array($0.utf8) }

    /// Bytes that are no text.
    static let binary: [[UInt8]] =
        (0...255).map { [UInt8($0)] } + [
            [0, 0], [0x61, 0], [0x61, 0, 0x62], [0x61], [0x61, 0, 0], [13, 10], [10, 13], [0x61, 13, 10], [0x61, 10],
            [0xC3], [0xC3, 0x28], [0xFF, 0xFE], [0xEF, 0xBF, 0xBD], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xC0, 0x80], [0xC0, 0xAF], [UInt8](0...255),
        ]

    /// Keys of equal digest under common hash functions, and keys that differ beyond what a short digest looks at.
    static let colliding: [[UInt8]] =
        [
            // CRC-32; FNV-1a of 32 bits; Java's String.hashCode; djb2; sums and exclusive-ors of bytes.
            "k541b8fc", "k1218752", "kbb399fb", "kfd3c653", "f6059", "f264602", "AaAa", "BBBB", "AaBB", "BBAa", "Ez",
            "FY",
            "listen", "silent", "enlist", "abab", "baba", "aabb",
            // Equal in the first or last 8 and 16 bytes.
            "prefix-8-one", "prefix-8-two", "sixteen-bytes-is-one", "sixteen-bytes-is-two", "one-sixteen-is-bytes",
            "two-sixteen-is-bytes", "middle-a-middle", "middle-b-middle",
        ].map { Array($0.utf8) } + [md5Pair(flipped: false), md5Pair(flipped: true), words(1, 2), words(2, 1)]

    /// A few of each kind, for random programs.
    static let mixed: [[UInt8]] =
        [
            "a", "b", "A", "a/b", "../x", "caf\u{E9}", "cafe\u{301}", "AaAa", "BBBB",
        ].map { Array($0.utf8) } + [[], [0], [13, 10], [0xFF], [UInt8](repeating: 0x6B, count: 300)]

    /// Keys of growing length that share all bytes up to the end of the shorter one.
    static func lengths(upTo limit: Int) -> [[UInt8]] {
        let wanted = [
            1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 99, 100, 101, 120, 127, 128, 129, 199, 200, 201, 250,
            251, 254,
            255, 256, 257, 511, 512, 513, 1_023, 1_024, 1_025, 4_095, 4_096, 4_097, 16_384, 65_535, 65_536, limit,
        ]
        return Set(wanted.filter { $0 <= min(limit, 1 << 20) }).sorted()
            .flatMap { length in
                let base = [UInt8](repeating: 0x6B, count: length)
                // Two of each length that differ in the last byte.
                return [base, Array(base.dropLast()) + [0x6C]]
            }
    }

    /// Keys that differ in one character, and chains of prefixes.
    static func families(_ count: Int) -> [[UInt8]] {
        let digits = (0..<count / 2).map { index in
            Array("family/\(String(repeating: "0", count: 6 - String(index).count))\(index)/member".utf8)
        }
        return digits + (1...count / 2).map { Array(repeating: 0x70, count: $0 % 180) + Array(String($0).utf8) }
    }

    /// Two messages of 128 bytes with one MD5 digest (Wang and others, CRYPTO 2004 rump session).
    private static func md5Pair(flipped: Bool) -> [UInt8] {
        var words: [UInt64] = [
            0xD131_DD02_C5E6_EEC4, 0x693D_9A06_98AF_F95C, 0x2FCA_B587_1246_7EAB, 0x4004_583E_B8FB_7F89,
            0x55AD_3406_09F4_B302, 0x83E4_8883_2571_415A, 0x0851_25E8_F7CD_C99F, 0xD91D_BDF2_8037_3C5B,
            0xD882_3E31_5634_8F5B, 0xAE6D_ACD4_36C9_19C6, 0xDD53_E2B4_87DA_03FD, 0x0239_6306_D248_CDA0,
            0xE99F_3342_0F57_7EE8, 0xCE54_B670_80A8_0D1E, 0xC698_21BC_B6A8_8393, 0x96F9_652B_6FF7_2A70,
        ]
        let flips: [(Int, UInt64)] = [(2, 39), (5, 23), (7, 39), (10, 39), (13, 23), (15, 39)]
        if flipped { for (word, bit) in flips { words[word] ^= 1 << bit } }
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    private static func words(_ first: UInt8, _ second: UInt8) -> [UInt8] {
        [UInt8](repeating: first, count: 8) + [UInt8](repeating: second, count: 8)
    }
}

extension KeyPool {
    /// A thousand keys and some more; fewer where each put waits for the device.
    static func many(_ claims: Claims) -> [[UInt8]] {
        (0..<(claims.durability == .power ? 130 : 1_100)).map { Array("\($0)".utf8) }
    }
}

/// What asks about a few plain keys.
protocol LetterKeys {}

extension LetterKeys {
    static var a: [UInt8] { Array("a".utf8) }
    static var b: [UInt8] { Array("b".utf8) }
    static var c: [UInt8] { Array("c".utf8) }

    static func put(_ key: [UInt8], _ number: Int, lives time: Int64?) -> CacheOperation {
        .put(key, value(number), terms: PutTerms(timeToLiveNanoseconds: time))
    }

    static func wait(_ time: Int64) -> CacheOperation { .advance(nanoseconds: time) }
}
