import CacheCore
import CacheSystems
import CacheSystemsPackages
import Foundation
import Testing
import _CacheTestSupport

@Suite("Packages are built from items, the same bytes from the same items")
struct PackageBuilderTests {
    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    static func items(_ seed: Int) throws -> [PackageItem] {
        var random = SeededGenerator(seed: UInt64(seed))
        return try (0..<30).map { number in
            let paths = ["/p\(number)", "/d/\(number)/", "/q?n=\(number)", "/%C3%A4\(number);x", "//\(number)"]
            let site = ["http://a.example", "https://a.example", "http://b.example:81"][random.next(below: 3)]
            var item = PackageItem(
                try url(site + paths[random.next(below: paths.count)]),
                .bytes(madeBytes(number, [0, 1, 90, 5000][random.next(below: 4)])))
            item.lastModifiedSeconds = random.next(below: 4) == 0 ? nil : Int64(random.next(below: 2_000_000_000))
            item.expiresSeconds = random.next(below: 3) == 0 ? nil : Int64(random.next(below: 2_000_000_000))
            item.mediaType = random.next(below: 3) == 0 ? nil : "text/plain; n=\(number)"
            item.userData = random.next(below: 3) == 0 ? madeBytes(number, number) : nil
            return item
        }
    }

    @Test(arguments: 1...6)
    func `what was put in comes out, and the order makes no difference`(_ seed: Int) throws {
        let directory = try TemporaryDirectory()
        let items = try Self.items(seed)
        var builder = PackageBuilder()
        builder.data = ["key/a": .bytes([1, 2])]
        let (path, other) = (directory.path + "/a.zip", directory.path + "/b.zip")
        try builder.write(items, to: path)
        var random = SeededGenerator(seed: 99)
        var shuffled = items
        for place in shuffled.indices { shuffled.swapAt(place, random.next(below: shuffled.count)) }
        try builder.write(shuffled, to: other)
        #expect(try bytes(path) == bytes(other))
        shuffled[0].mediaType = "x/y"
        try builder.write(shuffled, to: other)
        #expect(try bytes(path) != bytes(other), "another package has other bytes")

        let package = try CachePackage(path)
        #expect(package.entries.count == items.count && package.dataNames == ["key/a"])
        for entry in package.entries {
            let item = try #require(items.first { $0.url == entry.url })
            var body: [UInt8] = []
            try package.read(entry) { body += $0 }
            #expect(item.content == .bytes(body))
            #expect(try package.userData(of: entry) == item.userData)
            #expect(entry.lastModifiedSeconds == item.lastModifiedSeconds && entry.mediaType == item.mediaType)
            #expect(entry.expiresSeconds == item.expiresSeconds)
        }
    }

    @Test func `the first version has room for addresses that make names, and refuses others`() throws {
        let directory = try TemporaryDirectory()
        var builder = PackageBuilder()
        builder.manifest = .first
        let path = directory.path + "/a.zip"
        let items = try ["http://a.example/x", "http://a.example/d/y?z=%20", "http://a.example/%C3%A4"].map {
            PackageItem(try url($0), .bytes(Array($0.utf8)))
        }
        try builder.write(items, to: path)
        let package = try CachePackage(path)
        for entry in package.entries {
            var body: [UInt8] = []
            try package.read(entry) { body += $0 }
            #expect(String(decoding: body, as: UTF8.self) == entry.url.description)
            #expect(entry.file == entry.url.description.dropFirst(7))
        }
        for address in ["http://a.example/", "http://a.example/a//b", "https://a.example/x"] {
            let item = PackageItem(try url(address), .bytes([]))
            let error = refusal { try builder.write(items + [item], to: path) }
            #expect(error?.code == .usage && error?.message.contains(address) == true, "\(address)")
        }
    }

    @Test func `what cannot be built leaves what was there, and nothing beside it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.zip"
        let good = PackageItem(try url("http://a.example/x"), .bytes([1]))
        try PackageBuilder().write([good], to: path)
        let before = try bytes(path)
        var missing = PackageItem(try url("http://a.example/y"), .file(directory.path + "/none"))
        #expect(refusal { try PackageBuilder().write([good, missing], to: path) }?.code == .inputOutput)
        missing.content = .file(directory.path)
        #expect(refusal { try PackageBuilder().write([good, missing], to: path) }?.code == .inputOutput)
        #expect(refusal { try PackageBuilder().write([good, good], to: path) }?.code == .usage)
        var wrong = good
        wrong.mediaType = "text/html ; x"
        #expect(refusal { try PackageBuilder().write([wrong], to: path) }?.code == .usage)
        var builder = PackageBuilder()
        builder.data = ["../a": .bytes([])]
        #expect(refusal { try builder.write([good], to: path) }?.code == .usage)
        builder = PackageBuilder()
        builder.options.totalBytesMax = 0
        #expect(refusal { try builder.write([good], to: path) }?.code == .usage)
        #expect(try bytes(path) == before && directory.files() == [path])
        let nowhere = directory.path + "/none/a.zip"
        #expect(refusal { try PackageBuilder().write([good], to: nowhere) }?.code == .inputOutput)
    }
}
