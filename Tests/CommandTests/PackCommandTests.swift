#if Packages
    import Foundation
    import Testing

    @Suite("assay pack")
    struct PackCommandTests {
        private func site() throws -> AssayProcess {
            let assay = try AssayProcess()
            for name in ["site/index.html", "site/css/a.css", "site/.hidden", "data/notes.txt"] {
                let file = assay.directory.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("content of \(name)".utf8).write(to: file)
            }
            return assay
        }

        private static let build = [
            "build", "--folder", "site", "--base-url", "https://a.example", "--last-modified", "1000",
        ]

        private func pack(_ assay: AssayProcess, _ arguments: [String]) throws -> AssayProcess.Result {
            try assay.run(AssayProcess.executable, ["pack"] + arguments)
        }

        @Test func `a package is built, listed, verified, imported twice and purged`() throws {
            let assay = try site()
            let more = [
                "--max-age", "60", "--user-data", "data", "--user-data-key", "k", "--address",
                "index.html=https://a.example/",
            ]
            let built = try pack(assay, Self.build + more + ["site.zip"])
            #expect(built.status == 0 && built.output.hasPrefix("site.zip: 2 resources"), "\(built.errors)")
            let listed = try pack(assay, ["list", "site.zip"])
            let date = "Thu, 01 Jan 1970 00:16:40 GMT ; Thu, 01 Jan 1970 00:17:40 GMT"
            #expect(
                listed.output == """
                    26\thttps://a.example/ ; \(date) ; text/html ; files@/1
                    25\thttps://a.example/css/a.css ; \(date) ; text/css ; a.example/css/a.css
                    data\tk/notes.txt

                    """)
            #expect(try pack(assay, ["verify", "site.zip"]).output.hasSuffix("whole\n"))
            let imported = try pack(assay, ["import", "site.zip", "--into", "cache"])
            #expect(imported.status == 0 && imported.output.hasPrefix("site: 2 stored, 0 kept"), "\(imported.errors)")
            #expect(
                try pack(assay, ["import", "site.zip", "--into", "cache"]).output.hasPrefix("site: 0 stored, 2 kept"))
            let purged = try pack(assay, ["purge", "site", "--from", "cache"])
            #expect(purged.output == "https://a.example/\nhttps://a.example/css/a.css\n")
            let nothing = try pack(assay, ["purge", "site", "--from", "cache"])
            #expect(nothing.status == 0 && nothing.output == "" && nothing.errors.contains("'site'"))
        }

        #if Encryption
            @Test func `a cache that is encrypted is imported into and purged with its key alone`() throws {
                let assay = try site()
                try Data((0..<32).map { UInt8($0) }).write(to: assay.directory.appending(path: "key"))
                try Data((0..<32).map { UInt8(2 * $0) }).write(to: assay.directory.appending(path: "other"))
                #expect(try pack(assay, Self.build + ["site.zip"]).status == 0)
                let into = ["--into", "cache", "--key-file"]
                #expect(
                    try pack(assay, ["import", "site.zip"] + into + ["key"]).output.hasPrefix("site: 2 stored"))
                for key in [[], ["--key-file", "other"]] {
                    let purged = try pack(assay, ["purge", "site", "--from", "cache"] + key)
                    #expect(purged.status == 0 && purged.output == "", "\(key): \(purged.errors)")
                }
                let purged = try pack(assay, ["purge", "site", "--from", "cache", "--key-file", "key"])
                #expect(purged.output == "https://a.example/css/a.css\nhttps://a.example/index.html\n")
                try Data([1, 2, 3]).write(to: assay.directory.appending(path: "key"))
                let refused = try pack(assay, ["import", "site.zip"] + into + ["key"])
                #expect(refused.status == 69 && refused.errors.contains("has 3 bytes and must have 32"))
            }
        #endif

        @Test func `the same files make the same bytes, and a manifest of them the same package`() throws {
            let assay = try site()
            for name in ["one.zip", "two.zip"] { #expect(try pack(assay, Self.build + [name]).status == 0) }
            let bytes = try ["one.zip", "two.zip"].map { try Data(contentsOf: assay.directory.appending(path: $0)) }
            #expect(bytes[0] == bytes[1])
            let listed = try pack(assay, ["list", "one.zip"]).output
            let lines = listed.split(separator: "\n").map { $0.split(separator: "\t")[1] }
            // The files' names in the package begin with the host; beside the manifest they do not.
            try assay.write("site/list", lines.joined(separator: "\n").replacing(" ; a.example/", with: " ; "))
            let built = try pack(assay, ["build", "three.zip", "--manifest", "site/list"])
            #expect(built.status == 0, "\(built.errors)")
            #expect(try pack(assay, ["list", "three.zip"]).output == listed)
        }

        @Test func `an entry has the data of a file beside it where that is wanted`() throws {
            let assay = try site()
            let name = Data(".userdata/.entries/".utf8)
            for (package, more) in [
                ("bare.zip", []), ("data.zip", ["--item-data", "https://a.example/index.html=data/notes.txt"]),
            ] {
                #expect(try pack(assay, Self.build + more + [package]).status == 0)
                let bytes = try Data(contentsOf: assay.directory.appending(path: package))
                #expect((bytes.range(of: name) != nil) == !more.isEmpty)
                #expect(try pack(assay, ["verify", package]).status == 0)
            }
        }

        @Test func `bad input ends with the documented status, and names place and remedy`() throws {
            let assay = try site()
            #expect(try pack(assay, Self.build + ["a.zip"]).status == 0)
            let bytes = try Data(contentsOf: assay.directory.appending(path: "a.zip"))
            try bytes.dropLast(5).write(to: assay.directory.appending(path: "cut.zip"))
            let cases: [([String], Int32, [String])] = [
                (["verify", "cut.zip"], 65, ["cut.zip", "anew"]), (["verify", "none.zip"], 74, ["none.zip", "Check"]),
                (["build", "b.zip"], 64, ["--folder", "--manifest"]),
                (["build", "b.zip", "--folder", "site"], 64, ["--base-url"]),
                (["build", "b.zip", "--folder", "none", "--base-url", "http://a.example"], 74, ["none"]),
                (["build", "b.zip", "--folder", "site", "--base-url", "a.example"], 64, ["a.example", "https://"]),
                (["build", "b.zip", "--manifest", "site/index.html"], 65, ["index.html:1", "fields"]),
                (Self.build.map { $0 == "1000" ? "then" : $0 } + ["b.zip"], 64, ["then", "now"]),
                (Self.build + ["b.zip", "--manifest-version", "3"], 64, ["3", "2"]),
                (
                    Self.build + ["b.zip", "--item-data", "https://a.example/none=data/notes.txt"], 64,
                    ["none", "packed"]
                ),
                (Self.build + ["b.zip", "--item-data", "https://a.example/index.html=none"], 74, ["none", "Check"]),
                (Self.build + ["b.zip", "--item-data", "notes"], 64, ["notes", "path"]),
                (["verify", "a.zip", "--max-total", "10"], 65, ["10 bytes", "limit"]),
                (["verify", "a.zip", "--max-body", "5%"], 64, ["--max-body"]),
                (["import", "a.zip", "--into", "c", "--conflict", "older"], 64, ["older", "newer"]),
            ]
            for (arguments, status, words) in cases {
                let result = try pack(assay, arguments)
                #expect(result.status == status, "\(arguments): \(result.errors)")
                for word in words { #expect(result.errors.contains(word), "\(arguments): \(result.errors)") }
            }
            #expect(!FileManager.default.fileExists(atPath: assay.path("b.zip")))
            #expect(!FileManager.default.fileExists(atPath: assay.path("c")))
            let help = try assay.run("pack", "--help")
            for word in ["build", "list", "verify", "import", "purge", "65"] { #expect(help.output.contains(word)) }
        }
    }
#endif
