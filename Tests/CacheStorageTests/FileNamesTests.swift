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
}
