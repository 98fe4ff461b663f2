#if LightGBM
    import CacheCore
    import CacheReports
    import Foundation
    import Testing

    @testable import AssayCommand

    @Suite("Policies that learn, on the command line")
    struct LearnedCommandTests {
        /// Whether the policies can be opened here: as the command itself finds out.
        private static let isOpenable =
            (try? AssayProcess().run("run", "--policy", "lrb", "--trace", "./none", "--capacity", "1").status) == 74

        private static func trace(_ assay: AssayProcess) throws {
            let keys = (0..<3000).map { $0 % 3 == 0 ? "\(1000 + $0)" : "\($0 * $0 % 97)" }
            try assay.write("short.txt", keys.joined(separator: "\n") + "\n")
        }

        @Test func `without the library they are refused, with the place and the remedy`() throws {
            let assay = try AssayProcess(environment: ["ASSAY_LIGHTGBM": "./nowhere/lib_lightgbm.so"])
            try Self.trace(assay)
            for policy in Part.lightgbm.policies {
                let result = try assay.run(
                    "run", "--trace", "short.txt", "--policy", policy, "--capacity", "9", "--out", "out")
                #expect(result.status == 69, "\(result.errors)")
                for words in ["./nowhere/lib_lightgbm.so", "pip download", "ASSAY_LIGHTGBM"] {
                    #expect(result.errors.contains(words), "\(result.errors)")
                }
            }
            // The word for all policies leaves them out.
            let all = try assay.run("run", "--trace", "short.txt", "--policy", "all", "--capacity", "9", "--out", "all")
            #expect(all.status == 0, "\(all.errors)")
            #expect(!(try assay.read("all/results.csv").contains("lrb")))
        }

        @Test(.enabled(if: isOpenable, "LightGBM's library cannot be opened: name lib_lightgbm.so in ASSAY_LIGHTGBM"))
        func `what learning took is in the results of those that learn, and of no other`() throws {
            let assay = try AssayProcess()
            try Self.trace(assay)
            let result = try assay.run(
                "run", "--trace", "short.txt", "--policy", "lru,lrb:window=500,batch=200", "--capacity", "50",
                "--backend",
                "dictionary", "--simulate", "--out", "out")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("training time"), "\(result.output)")
            let json = try assay.read("out/results.json")
            #expect(json.matches(of: /"trainingSeconds"/).count == 1)
            let csv = try assay.read("out/results.csv").split(whereSeparator: \.isNewline)
            let names = try #require(csv.first).split(separator: ",", omittingEmptySubsequences: false)
            let place = try #require(names.firstIndex(of: "trainings"))
            for line in csv.dropFirst() {
                let fields = line.replacing(#/"[^"]*"/#, with: "").split(
                    separator: ",", omittingEmptySubsequences: false)
                let (policy, isLive, trainings) = (fields[1], fields[4] == "dictionary", fields[place])
                #expect((policy == "lrb" && !isLive) == ((Int(trainings) ?? 0) > 3), "\(line)")
                #expect((policy == "lrb" && isLive) == line.contains("simulated only"), "\(line)")
            }
        }

        @Test(.enabled(if: isOpenable, "LightGBM's library cannot be opened: name lib_lightgbm.so in ASSAY_LIGHTGBM"))
        func `where nothing learns nothing is said of it`() throws {
            let assay = try AssayProcess()
            try Self.trace(assay)
            let result = try assay.run(
                "run", "--trace", "short.txt", "--policy", "lru", "--capacity", "50", "--out", "out")
            #expect(result.status == 0 && !result.output.contains("training"), "\(result.errors)")
            #expect(!(try assay.read("out/results.json").contains("training")))
            let caches = try assay.run("conform", "cache:lrb", "--section", "KEY-1")
            #expect(caches.status == 64 && caches.errors.contains("can drive a cache"), "\(caches.errors)")
            let advice = try assay.run("advise", "--trace", "short.txt", "--policy", "lrb", "--budget", "50")
            #expect(advice.status == 64 && advice.errors.contains("simulated only"), "\(advice.errors)")
        }
    }
#endif
