import CacheCore
import CacheSystems
import CacheSystemsPackages
import Foundation
import Testing
import _CacheTestSupport

@Suite("A directory becomes items of a package")
struct PackageFolderTests {
    private let directory: TemporaryDirectory
    private let root: String

    init() throws {
        directory = try TemporaryDirectory()
        root = directory.path + "/site"
        for name in ["index.html", "a b/50%?#.css", "a b/long.bin", ".hidden/x", ".dot", "ä.unknown"] {
            let file = URL(filePath: "\(root)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((name == "a b/long.bin" ? "long content" : "x").utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1000.75)], ofItemAtPath: file.path)
        }
        try FileManager.default.createSymbolicLink(atPath: root + "/link", withDestinationPath: "index.html")
    }

    @Test func `files have addresses by their paths, escaped; dates, types and ages`() throws {
        var folder = PackageFolder(root, at: try url("http://a.example/base"))
        folder.maxAgeSeconds = 60
        let (items, passedOver) = try folder.items()
        #expect(
            items.map(\.url.description) == [
                "http://a.example/base/a%20b/50%25%3F%23.css", "http://a.example/base/a%20b/long.bin",
                "http://a.example/base/index.html", "http://a.example/base/%C3%A4.unknown",
            ])
        #expect(items.map(\.mediaType) == ["text/css", "application/octet-stream", "text/html", nil])
        #expect(items.allSatisfy { $0.lastModifiedSeconds == 1000 && $0.expiresSeconds == 1060 })
        #expect(passedOver == ["link"])
    }

    @Test func `what is hidden, long or excluded is taken or not as is asked`() throws {
        var folder = PackageFolder(root, at: try url("http://a.example/"))
        folder.includesHidden = true
        folder.fileBytesMax = 11
        folder.excluded = ["*.css"]
        folder.changed = .at(5000)
        folder.changedOffsetSeconds = -1
        folder.namesTypes = false
        folder.addresses = ["index.html": try url("https://b.example/")]
        let (items, passedOver) = try folder.items()
        #expect(
            items.map(\.url.description) == [
                "http://a.example/.dot", "http://a.example/.hidden/x", "https://b.example/",
                "http://a.example/%C3%A4.unknown",
            ])
        #expect(items.allSatisfy { $0.lastModifiedSeconds == 4999 && $0.expiresSeconds == nil && $0.mediaType == nil })
        #expect(passedOver == ["a b/50%?#.css", "a b/long.bin", "link"])
        folder.addresses["none"] = try url("https://b.example/none")
        #expect(refusal { _ = try folder.items() }?.code == .usage)
        folder.path = root + "/none"
        #expect(refusal { _ = try folder.items() }?.code == .inputOutput)
    }

    @Test func `a manifest beside its files is a package that is not packed yet`() throws {
        let manifest = root + "/list"
        let line = "http://a.example/x ; Sun, 06 Nov 1994 08:49:37 GMT ; NULL ; text/x ; index.html\n"
        try Data(line.utf8).write(to: URL(filePath: manifest))
        let items = try PackageFolder.items(manifest: manifest)
        #expect(items.count == 1 && items[0].content == .file(root + "/index.html") && items[0].mediaType == "text/x")
        #expect(items[0].lastModifiedSeconds == 784_111_777 && items[0].expiresSeconds == nil)
        for (text, line) in [
            (line + line.replacing("index", with: "none").replacing("/x ", with: "/y "), 2),
            (line.replacing("index.html", with: "../secret"), 1),
        ] {
            try Data(text.utf8).write(to: URL(filePath: manifest))
            let error = try #require(refusal { _ = try PackageFolder.items(manifest: manifest) })
            #expect(error.code == .badInput && error.location == .init(manifest, line: line))
        }
        #expect(refusal { _ = try PackageFolder.items(manifest: root + "/none") }?.code == .inputOutput)
    }
}
