import CacheCore
import Foundation
import Testing

@testable import CacheTraces

@Suite struct SupportTests {
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
    func sha256(text: String, digest: String) {
        #expect(SHA256.hexadecimal(of: text.utf8) == digest)
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

    @Test func checksumSeesEveryBitAndTheLength() {
        let bytes = [UInt8](repeating: 0, count: 100)
        var sums: Set<UInt64> = [bytes.withUnsafeBytes { blockChecksum($0) }]
        for bit in 0..<800 {
            var copy = bytes
            copy[bit / 8] ^= 1 << UInt8(bit % 8)
            sums.insert(copy.withUnsafeBytes { blockChecksum($0) })
        }
        for length in 0..<100 { sums.insert(bytes.prefix(length).withUnsafeBytes { blockChecksum($0) }) }
        #expect(sums.count == 901)
    }

    @Test func portableMathAgreesWithTheSystem() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let x = random.nextUnit() * 1400 - 700
            let positive = Foundation.exp(x)
            #expect(abs(PortableMath.exp(x) / positive - 1) < 1e-14)
            #expect(abs(PortableMath.log(positive) - Foundation.log(positive)) <= 4 * abs(x).ulp + 1e-16)
            let small = (random.nextUnit() - 0.5) * 0.01
            #expect(abs(PortableMath.expRatio(small) - Foundation.expm1(small) / small) < 1e-12)
            #expect(abs(PortableMath.logRatio(small) - Foundation.log1p(small) / small) < 1e-12)
        }
        #expect(PortableMath.exp(0) == 1)
        #expect(PortableMath.log(1) == 0)
        #expect(PortableMath.exp(-1e9) == 0)
        #expect(PortableMath.exp(1e9) == .infinity)
    }

    @Test func keyTableAgreesWithADictionary() throws {
        var table = KeyTable()
        var numbers: [[UInt8]: UInt32] = [:]
        var random = SeededGenerator(seed: 7)
        for step in 0..<600 {
            let keys = (0..<KeyTable.batchCount).map { _ in
                random.draw(below: 60_000) << (random.next() & 1 == 0 ? 0 : 32)
            }
            if step % 3 == 2 {
                for key in keys.prefix(20) {
                    let text = Array("k\(key % 5000)".utf8)
                    let id = try text.withUnsafeBytes { try table.number($0) }
                    #expect(id == numbers[text, default: UInt32(numbers.count)])
                    numbers[text] = id
                }
                continue
            }
            var ids = [UInt32](repeating: 0, count: keys.count)
            try keys.withUnsafeBufferPointer { keys in
                try ids.withUnsafeMutableBufferPointer { try table.number(keys, into: $0.baseAddress!) }
            }
            for (key, id) in zip(keys, ids) {
                let text = bytes(key)
                #expect(id == numbers[text, default: UInt32(numbers.count)])
                numbers[text] = id
            }
        }
        #expect(table.count == numbers.count)
        #expect(table.count > 50_000)
    }

    @Test func keyOfNoBytesIsOneObject() throws {
        var table = KeyTable()
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(try [table.number(empty), table.number(empty)] == [0, 0])
        #expect(try [UInt8]("x".utf8).withUnsafeBytes { try table.number($0) } == 1)
    }
}
