import CacheCore
import Testing

@Suite("SHA256: FIPS 180-4")
struct SHA256Tests {
    /// Examples of FIPS 180-4 and the boundaries of a block.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func `digests are those of the standard, in pieces of any length`(_ text: String, _ digest: String) {
        #expect(SHA256.hexadecimal(of: text.utf8) == digest)
        #expect(SHA256.digest(of: text.utf8).map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() == digest)
        // Pieces of any length give the same.
        var hash = SHA256()
        var rest = Array(text.utf8)[...]
        var length = 1
        while !rest.isEmpty, length < 10_000 {
            Array(rest.prefix(length)).withUnsafeBytes { hash.update($0) }
            rest = rest.dropFirst(length)
            length += 7
        }
        Array(rest).withUnsafeBytes { hash.update($0) }
        #expect(hash.hexadecimal() == digest)
    }
}

@Suite("Checksum64: sees every bit, every order and the length")
struct Checksum64Tests {
    @Test func `sees every bit and the length`() {
        let bytes = [UInt8](repeating: 0, count: 100)
        var sums: Set<UInt64> = [bytes.withUnsafeBytes { Checksum64.checksum(of: $0) }]
        for bit in 0..<800 {
            var copy = bytes
            copy[bit / 8] ^= 1 << UInt8(bit % 8)
            sums.insert(copy.withUnsafeBytes { Checksum64.checksum(of: $0) })
        }
        for length in 0..<100 { sums.insert(bytes.prefix(length).withUnsafeBytes { Checksum64.checksum(of: $0) }) }
        #expect(sums.count == 901)
    }

    @Test func `the checksum notices every flipped bit and swapped words`() {
        let bytes = (0..<200).map { UInt8($0) }
        func checksum(_ bytes: [UInt8]) -> UInt64 {
            var checksum = Checksum64()
            bytes.withUnsafeBytes { checksum.absorb($0) }
            return checksum.value
        }
        let sound = checksum(bytes)
        for bit in 0..<1_600 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(checksum(damaged) != sound)
        }
        #expect(checksum(Array(bytes[32...63]) + bytes[..<32] + bytes[64...]) != sound)
    }

    @Test func `no two damaged bits cancel`() {
        var bytes = [UInt8](repeating: 0, count: 72)
        let sound = bytes.withUnsafeBytes { Checksum64.checksum(of: $0) }
        var missed = 0
        for first in 0..<575 {
            bytes[first / 8] ^= 1 << UInt8(first % 8)
            for second in (first + 1)..<576 {
                bytes[second / 8] ^= 1 << UInt8(second % 8)
                if bytes.withUnsafeBytes({ Checksum64.checksum(of: $0) }) == sound { missed += 1 }
                bytes[second / 8] ^= 1 << UInt8(second % 8)
            }
            bytes[first / 8] ^= 1 << UInt8(first % 8)
        }
        #expect(missed == 0)
    }
}
