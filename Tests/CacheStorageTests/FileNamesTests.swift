import Testing

@testable import CacheStorage

/// Names are one to one, harmless on every file system, and lead back to their keys.
@Suite("File names")
struct FileNamesTests {
    let names = FileNames(root: "/r")

    private func name(_ key: [UInt8]) -> String {
        names.path(of: key).withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    @Test func `a short key is spelled and comes back`() throws {
        for key: [UInt8] in [[], [0], [0xFF, 0x2F], Array("../x".utf8), [UInt8](repeating: 9, count: 100)] {
            let parts = name(key).split(separator: "/").map { Array($0.utf8) }
            #expect(FileNames.isShard(parts[1]))
            #expect(FileNames.meaning(of: parts[2], in: parts[1]) == .key(key))
            #expect(FileNames.meaning(of: parts[2], in: Array("zz".utf8)) == .foreign)
        }
    }

    @Test func `a long key is named after its digest`() {
        let path = name([UInt8](repeating: 0x61, count: 101))
        #expect(path.split(separator: "/").last?.first == "h")
        #expect(path.count == 3 + 3 + 65)
        #expect(path != name([UInt8](repeating: 0x61, count: 102)))
    }

    @Test(arguments: [0, 1, 7, 100, 101, 65_536])
    func `no name is longer than file systems take`(length: Int) {
        let path = name([UInt8](repeating: 0xAB, count: length))
        #expect(path.split(separator: "/").allSatisfy { $0.utf8.count <= 255 })
        #expect(path == path.lowercased())
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the digest is that of FIPS 180-4`(message: String, digest: String) {
        let hex = SHA256.digest(Array(message.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        #expect(hex == digest)
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
}
