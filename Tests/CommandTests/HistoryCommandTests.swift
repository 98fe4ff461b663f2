#if SQLite
    import Foundation
    import Testing

    @Suite("assay history")
    struct HistoryCommandTests {
        @Test func `the commit that changed hits is named, in a fresh repository`() throws {
            let assay = try AssayProcess()
            try assay.git("init", "-q")
            try assay.write("t.txt", (0..<300).map { "\($0 * $0 % 37)\n" }.joined())
            for policy in ["fifo", "fifo", "s3fifo:small=0.9", "s3fifo:small=0.1"] {
                try assay.git("commit", "-q", "--allow-empty", "-m", "with \(policy)")
                let run = try assay.run(
                    "run", "--trace", "t.txt", "--policy", policy, "--capacity", "5", "--out", policy, "--quiet")
                #expect(run.status == 0, "\(run.errors)")
                let added = try assay.run("history", "add", "\(policy)/results.json")
                #expect(added.status == 0 && added.output.contains("with \(policy): added"), "\(added.errors)")
            }
            let changes = try assay.run("history", "changes", "--figure", "hits", "--subject", "s3fifo")
            #expect(changes.status == 0, "\(changes.errors)")
            #expect(changes.output.contains("1 change") && changes.output.contains("with s3fifo:small=0.1"))
            #expect(!changes.output.contains("with fifo"))
            #expect(try assay.run("history", "changes", "--figure", "hit").status == 64)
        }
    }
#endif
