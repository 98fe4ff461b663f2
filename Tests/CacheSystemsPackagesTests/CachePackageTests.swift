import CacheCore
import CacheSystems
import CacheSystemsPackages
import Foundation
import Testing
import _CacheTestSupport

@Suite("Packages are read in both versions, and refused where they are not what they say")
struct CachePackageTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let seconds: Int64 = 784_111_777

    private func open(_ zip: MadeZip, _ change: (inout PackageOptions) -> Void = { _ in }) throws -> CachePackage {
        let directory = try TemporaryDirectory()
        var options = PackageOptions()
        change(&options)
        return try CachePackage(try zip.write(in: directory), options)
    }

    private func body(_ package: CachePackage, _ place: Int) throws -> String {
        var bytes: [UInt8] = []
        try package.read(package.entries[place]) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `the second version names its files, and says NULL for what is not known`() throws {
        let manifest = """
            baseURL = http://a.example\r
            http://a.example/x ; \(Self.date) ; \(Self.date) ; text/html; charset=utf-8 ; one\r
            \r
            http://a.example/y ; NULL ; NULL ; NULL ; dir/two
            http://a.example/ä ; \(Self.date) ;  ;  ; one
            """
        let package = try open(
            MadeZip(
                manifest: manifest,
                [
                    .init("one", "1"), .init("dir/", mode: 0o040755), .init("dir/two", "22"),
                    .init(".userdata/key/settings", "all"), .init(".userdata/.entries/dir/two", "its own"),
                ]))
        #expect(
            package.entries.map(\.url.description) == [
                "http://a.example/x", "http://a.example/y", "http://a.example/%C3%A4",
            ])
        #expect(package.entries.map(\.file) == ["one", "dir/two", "one"])
        #expect(package.entries.map(\.lastModifiedSeconds) == [Self.seconds, nil, Self.seconds])
        #expect(package.entries.map(\.expiresSeconds) == [Self.seconds, nil, nil])
        #expect(package.entries.map(\.mediaType) == ["text/html; charset=utf-8", nil, nil])
        #expect(package.entries.map(\.line) == [2, 4, 5] && package.entries.map(\.bytes) == [1, 2, 1])
        #expect(try (0..<3).map { try body(package, $0) } == ["1", "22", "1"])
        #expect(try package.userData(of: package.entries[1]) == Array("its own".utf8))
        #expect(try package.userData(of: package.entries[0]) == nil)
        #expect(package.dataNames == ["key/settings"])
        #expect(try package.data(named: "key/settings") == Array("all".utf8) && package.data(named: "dir/two") == nil)
        #expect(try package.verify() == 1 + 2 + 3 + 7)
    }

    /// What `afcpkg.py --mime` and the tool in Objective-C write.
    @Test
    func
        `the first version calculates them: with the host, without port, fragment and escapes, and if need be without the query`()
        throws
    {
        let manifest = """
            http://a.example/dir/page one.html ; Sun, 06 Nov 1994 08:49:37 GMT+00:00 ; Sun, 06 Nov 1994 08:49:38 GMT+00:00 ; text/html
            http://a.example:8080/b%20c ; \(Self.date) ; \(Self.date) ;\u{20}
            http://a.example/q?x=1#top ; \(Self.date) ; \(Self.date)
            http://a.example/r?x=2 ; \(Self.date)
            """
        let package = try open(
            MadeZip(
                manifest: manifest,
                [
                    .init("a.example/dir/page one.html", "1"), .init("a.example/b c", "2"),
                    .init("a.example/q?x=1", "3"), .init("a.example/q", "wrong"), .init("a.example/r", "4"),
                ])
        ) { $0.skipsUnusable = true }
        #expect(try (0..<4).map { try body(package, $0) } == ["1", "2", "3", "4"])
        #expect(package.entries.map(\.expiresSeconds) == [Self.seconds + 1, Self.seconds, Self.seconds, nil])
        #expect(package.entries.map(\.mediaType) == ["text/html", nil, nil, nil])
        #expect(package.skipped.count == 1 && package.skipped[0].message.contains("'a.example/q'"))
    }

    @Test func `addresses that were left out are given when it is read`() throws {
        let zip = MadeZip(
            manifest: "afcpkg://localhost/a.txt ; \(Self.date) ; \(Self.date)", [.init("localhost/a.txt", "1")])
        let error = try #require(refusal { _ = try open(zip) })
        #expect(error.location?.line == 1 && error.message.contains("baseURL"))
        let base = try url("https://b.example/docs/")
        let named = MadeZip(
            manifest: "afcpkg://localhost/a.txt ; \(Self.date) ; NULL ; NULL ; localhost/a.txt",
            [.init("localhost/a.txt", "1")])
        #expect(
            try open(named) { $0.baseURL = base }.entries.map(\.url.description) == ["https://b.example/docs/a.txt"])
        #expect(
            try open(zip) { $0.baseURL = base }.entries.map(\.file) == ["localhost/a.txt"])
    }

    /// A line, and a word of why it cannot be used.
    static let faults: [[String]] = [
        ["http://a.example/x", "fields"], ["a ; b ; c ; d ; e ; f", "6"], ["ftp://a.example/x ; \(date)", "http"],
        ["http://a.example/x ; yesterday", "yesterday"], ["http://a.example/x ; \(date) ; soon", "soon"],
        ["http://a.example/x ; \(date) ; \(date) ; NULL ; none", "'none'"],
        ["http://a.example/none ; \(date)", "a.example/none"],
        ["http://a.example/x ; \(date) ; \(date) ; NULL ; manifest.afcache", "manifest.afcache"],
        ["http://A.example:80/good ; \(date) ; \(date) ; NULL ; good", "line 1"],
        ["http://a.example/x ; \(date) ; \(date) ; text/\u{1}html ; good", "control"],
    ]

    @Test(arguments: faults)
    func `a line that cannot be used is named with its place, or left out where that is asked for`(_ fault: [String])
        throws
    {
        let manifest = "http://a.example/good ; \(Self.date) ; \(Self.date) ; NULL ; good\n\n\(fault[0])\n"
        let zip = MadeZip(manifest: manifest, [.init("good", "1")])
        let error = try #require(refusal { _ = try open(zip) })
        #expect(error.code == .badInput && error.message.contains(fault[1]), "\(error)")
        #expect(error.location?.line == 3 && error.location?.source.hasSuffix("made.zip/manifest.afcache") == true)
        let lenient = try open(zip) { $0.skipsUnusable = true }
        #expect(
            lenient.entries.map(\.file) == ["good"]
                && lenient.skipped
                    == [error].map { fault in
                        var fault = fault
                        fault.location?.source = lenient.path + "/manifest.afcache"
                        return fault
                    }
        )
    }

    @Test func `a manifest that is not in UTF-8, is missing, or leaves a file out, is refused`() throws {
        var latin = MadeZip(manifest: "", [])
        latin.files[0].content = Array("http://a.example/".utf8) + [0xE4] + Array(" ; \(Self.date)".utf8)
        #expect(refusal { _ = try open(latin) }?.message.contains("UTF-8") == true)
        #expect(refusal { _ = try open(MadeZip([.init("a", "1")])) }?.message.contains("manifest.afcache") == true)
        let unnamed = MadeZip(manifest: "", [.init("a", "1")])
        #expect(refusal { _ = try open(unnamed) }?.message.contains("'a'") == true)
        let strange = MadeZip(manifest: "", [.init(".userdata/.entries/a", "1")])
        #expect(refusal { _ = try open(strange) }?.message.contains(".entries/a") == true)
        #expect(try open(unnamed) { $0.skipsUnusable = true }.skipped.count == 1)
        #expect(try open(MadeZip(manifest: "", [])).entries == [])
    }

    // MARK: What is hostile

    static let good = MadeZip.File("good", "content")
    static let line = "http://a.example/good ; \(date) ; \(date) ; NULL ; good\n"

    private func hostile(_ change: (inout MadeZip.File) -> Void) -> MadeZip {
        var file = MadeZip.File("bad", "content")
        change(&file)
        return MadeZip(manifest: Self.line + Self.line.replacing("good", with: "bad"), [Self.good, file])
    }

    @Test(arguments: [
        "../bad", "a/../bad", "/bad", "a\\b", "C:bad", "c:/bad", "..", "./bad", "a//bad", "a/./b", "bad\n", "a/\u{7F}",
        "",
    ])
    func `a name that leads elsewhere is refused, though nothing is ever written under it`(_ name: String) throws {
        let zip = hostile { $0.name = Array(name.utf8) }
        for skips in [false, true] {
            let error = try #require(refusal { _ = try open(zip) { $0.skipsUnusable = skips } })
            #expect(error.code == .badInput && error.message.contains("name"), "\(error)")
        }
    }

    @Test func `a zero in a name does not make it the name that is before it`() throws {
        let zip = hostile { $0.name = Array("good".utf8) + [0] + Array(".exe".utf8) }
        #expect(refusal { _ = try open(zip) }?.code == .badInput)
    }

    @Test(arguments: [0o120777, 0o010644, 0o020644, 0o060644, 0o140644, 0o040755] as [UInt32])
    func `links, pipes, devices, sockets, and directories with a file's name are refused`(_ mode: UInt32) throws {
        let error = try #require(refusal { _ = try open(hostile { $0.mode = mode }) { $0.skipsUnusable = true } })
        #expect(error.message.contains("special file"), "\(error)")
    }

    @Test func `encrypted files, other methods, two files of one name and shared bytes are refused`() throws {
        func message(_ zip: MadeZip) -> String { refusal { _ = try open(zip).verify() }?.message ?? "accepted" }
        #expect(message(hostile { $0.flags = 1 }).contains("encrypted"))
        #expect(message(hostile { $0.method = 12 }).contains("method"))
        #expect(message(hostile { $0.name = Array("good".utf8) }).contains("two files"))
        // The bytes of one are those of the other, with its header before them.
        var inner = MadeZip.File("inner", String(repeating: "x", count: 2000))
        var outer = MadeZip.File("outer")
        outer.content = MadeZip.local(inner)
        inner.offset = 30 + outer.name.count
        let lines = ["inner", "outer"].map { Self.line.replacing("good", with: $0) }.joined()
        #expect(message(MadeZip([outer, .init("manifest.afcache", lines), inner])).contains("share"))
        #expect(message(hostile { $0.checksum = 7 }).contains("damaged"))
        #expect(message(hostile { $0.bytes = 8 }) != "accepted" && message(hostile { $0.bytes = 6 }) != "accepted")
        #expect(message(hostile { _ in }) == "accepted")
    }

    @Test func `limits of number, length, sum, ratio and the manifest hold, at their boundaries`() throws {
        let lines = (0..<3).map { "http://a.example/\($0) ; \(Self.date) ; \(Self.date) ; NULL ; good\n" }.joined()
        let zip = MadeZip(manifest: lines, [Self.good])
        func isRefused(_ change: (inout PackageOptions) -> Void) -> Bool {
            refusal { _ = try open(zip, change) }.map { $0.code == .badInput } ?? false
        }
        #expect(!isRefused { $0.filesMax = 2 } && isRefused { $0.filesMax = 1 })
        #expect(!isRefused { $0.bodyBytesMax = lines.utf8.count } && isRefused { $0.bodyBytesMax = 6 })
        // Three lines with seven bytes each: one file that many lines name is as much as many files.
        #expect(!isRefused { $0.totalBytesMax = 21 } && isRefused { $0.totalBytesMax = 20 })
        #expect(isRefused { $0.manifestBytesMax = lines.utf8.count - 1 })
    }

    @Test func `what unpacks to far more than it is, is refused; what a package writes so is stored as it is`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/zeros.zip"
        let zeros = [UInt8](repeating: 0, count: 4 << 20)
        var builder = PackageBuilder()
        let item = PackageItem(try url("http://a.example/zeros"), .bytes(zeros))
        try builder.write([item], to: path)
        #expect(try CachePackage(path).entries[0].bytes == zeros.count)
        builder.options.ratioMax = 5000
        let packed = try builder.write([item], to: path)
        #expect(packed < zeros.count / 500)
        let error = try #require(refusal { _ = try CachePackage(path) })
        #expect(error.message.contains("200 times"))
    }

    // MARK: What is damaged

    private static func package(in directory: TemporaryDirectory) throws -> (path: String, bytes: [UInt8]) {
        let path = directory.path + "/small.zip"
        let items = try (0..<2).map { number in
            PackageItem(try url("http://a.example/\(number)"), .bytes(madeBytes(number, 20 + number)))
        }
        try PackageBuilder().write(items, to: path)
        return (path, [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    @Test func `every package that was cut is refused`() throws {
        let directory = try TemporaryDirectory()
        let (path, bytes) = try Self.package(in: directory)
        for count in 0..<bytes.count {
            try Data(bytes.prefix(count)).write(to: URL(filePath: path))
            let error = refusal { try CachePackage(path).verify() }
            #expect(error?.code == .badInput, "\(count) of \(bytes.count)")
        }
        #expect(refusal { _ = try CachePackage(directory.path) }?.code == .inputOutput)
        #expect(refusal { _ = try CachePackage(directory.path + "/none") }?.code == .inputOutput)
    }

    @Test func `a package with a changed byte is refused, or has what it had`() throws {
        let directory = try TemporaryDirectory()
        let (path, bytes) = try Self.package(in: directory)
        let entries = try CachePackage(path).entries
        var refused = 0
        for place in bytes.indices {
            for mask: UInt8 in [1, 0x80] {
                var changed = bytes
                changed[place] ^= mask
                try Data(changed).write(to: URL(filePath: path))
                do {
                    let package = try CachePackage(path)
                    try package.verify()
                    #expect(package.entries == entries, "byte \(place)")
                } catch {
                    refused += 1
                }
            }
        }
        // What may change unseen are times, rights and versions of tools.
        #expect(refused > bytes.count)
    }
}
