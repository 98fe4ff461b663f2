import CacheTraces
import Testing

@Suite("The digest of what a trace holds")
struct ContentDigestTests {
    private func digest(_ name: String, _ text: String, _ format: String? = nil) throws -> String {
        let folder = try TemporaryFolder()
        let path = try folder.write(name, Array(text.utf8))
        return try folder.store.open(path: path, format: format).contentDigest
    }

    @Test func `equal requests have it, whatever file and format they come from`() throws {
        let plain = try digest("keys.txt", "b\na\nb\n")
        #expect(plain.count == 64)
        #expect(try digest("other.keys", "b\na\nb\n") == plain)
        #expect(try digest("keys.csv", "b\na\nb\n", "csv:key=1") == plain)
        #expect(try digest("two.csv", "x,b\ny,a\nz,b\n", "csv:key=2") == plain)
    }

    @Test(arguments: [
        ("b,1\na,1\nb,1\n", "csv:key=1,size=2"), ("b,1\na,2\nb,1\n", "csv:key=1,size=2"),
        ("b,1\na,2\nb,3\n", "csv:key=1,time=2"), ("b,1\na,2\nb,3\n", "csv:key=2"), ("c,1\na,2\nc,3\n", "csv:key=1"),
    ])
    func `other keys, sizes or times have another one`(_ text: String, _ format: String) throws {
        #expect(try digest("keys.csv", text, format) != digest("keys.txt", "b\na\nb\n"))
    }

    @Test func `it is kept with the compiled trace`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("keys.txt", Array("1\n2\n1\n".utf8))
        let first = try folder.store.open(path: path)
        #expect(try folder.store.open(path: path).contentDigest == first.contentDigest)
        #expect(first.digest != first.contentDigest)
    }
}
