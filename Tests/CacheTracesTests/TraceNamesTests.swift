import CacheTraces
import Foundation
import Testing

@Suite("Names of traces")
struct TraceNamesTests {
    private func names(_ paths: [String]) -> [String] {
        TraceNames.unique(paths.map { TraceNames.candidates(forFile: $0) })
    }

    @Test(arguments: [
        ("/a/oltp.lis.zst", "oltp"), ("/a/access.2024-01-01.txt", "access.2024-01-01"), ("/a/web.csv.gz", "web"),
        ("/a/access.log", "access.log"), ("/a/keys", "keys"), ("/a/.txt", ".txt"), ("/a/c.oracleGeneral.bin.xz", "c"),
    ])
    func `a file's name loses the endings of compression and format and nothing else`(_ path: String, _ name: String) {
        #expect(names([path]) == [name])
    }

    @Test func `files of one name get their folders, whatever the order`() {
        let paths = ["/logs/mon/access.txt", "/logs/tue/access.txt", "/logs/wed/other.txt"]
        let expected = ["mon/access", "tue/access", "other"]
        #expect(names(paths) == expected)
        #expect(names(paths.reversed()) == expected.reversed())
        #expect(names(["/x/a/t/k.txt", "/x/b/t/k.txt"]) == ["a/t/k", "b/t/k"])
    }

    @Test func `files that differ by an ending keep it`() {
        #expect(names(["/a/k.txt", "/a/k.csv"]) == ["k.txt", "k.csv"])
        #expect(names(["/a/k.txt", "/b/k.csv", "/b/k.txt"]) == ["a/k", "k.csv", "b/k"])
    }

    @Test func `a name does not depend on how the path is written`() throws {
        let folder = try TemporaryFolder()
        for day in ["mon", "tue"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/" + day, withIntermediateDirectories: true)
            _ = try folder.write("\(day)/access.txt", Array("1\n".utf8))
        }
        let other = folder.path + "/tue/access.txt"
        let plain = names([folder.path + "/mon/access.txt", other])
        #expect(plain == ["mon/access", "tue/access"])
        #expect(names([folder.path + "/tue/../mon//access.txt", other]) == plain)
        #expect(names([folder.path + "/./mon/access.txt", folder.path + "/mon/../tue/access.txt"]) == plain)
    }

    @Test func `the same trace twice is numbered, and a name that is taken is not given again`() {
        let twice = names(["/a/k.txt", "/a/k.txt"])
        #expect(twice == [twice[0], twice[0] + " (2)"])
        #expect(TraceNames.unique([["zipf"], ["zipf"], ["zipf (2)"]]) == ["zipf", "zipf (2)", "zipf (2) (2)"])
        #expect(TraceNames.unique([["zipf"], ["zipf", "zipf.txt"]]) == ["zipf", "zipf.txt"])
    }
}
