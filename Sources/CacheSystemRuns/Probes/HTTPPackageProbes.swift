#if Packages
    internal import CacheCore
    internal import CacheEngine
    internal import CacheHarness
    internal import CacheSystems
    internal import CacheSystemsPackages
    internal import Foundation

    /// Experiments with packages: making one of a folder, and a cache that begins with what is in it.
    enum HTTPPackageProbes {
        static let all = [SystemProbe("packages", figures)]

        private static let root = HTTPURL("https://site.example/")!
        /// When the files were changed, in seconds since 1970.
        private static let changedSeconds: Int64 = 1_800_000_000

        private static func figures(_ setup: SystemRunSetup) throws -> [SystemFigure] {
            let site = TextSite(files: setup.probeCount(2000, least: 50))
            let folder = setup.directory + "/folder"
            try site.write(to: folder)
            let path = setup.directory + "/site.zip"
            let packing = try pack(folder, site, to: path)
            return packing + (try use(try CachePackage(path), site, setup))
        }

        /// How fast files are packed, and what is left of their bytes.
        private static func pack(_ folder: String, _ site: TextSite, to path: String) throws -> [SystemFigure] {
            var files = PackageFolder(folder, at: root)
            files.changed = .at(changedSeconds)
            files.maxAgeSeconds = 86_400
            var bytes = 0
            let times = try ProbeRounds(3) { _ in
                let before = bytes
                let time = try ProbeRounds.nanoseconds {
                    bytes = try PackageBuilder().write(files.items().items, to: path)
                }
                try require(before == 0 || bytes == before, "the same files make another package each time")
                return time
            }
            try require(try CachePackage(path).verify() == site.bytes, "a package has other bytes than its files")
            return [
                SystemFigure("files packed a second", Double(site.files) * 1e9 / times.median(), .perSecond),
                SystemFigure("archive, of its files' bytes", bytes, of: site.bytes),
            ]
        }

        /// How fast a package is imported, and how the first requests fare with it and without.
        private static func use(
            _ package: CachePackage, _ site: TextSite, _ setup: SystemRunSetup
        ) throws -> [SystemFigure] {
            var caches: [HTTPCache] = []
            func open() throws -> HTTPCache {
                var setup = setup
                setup.directory += "/cache-\(caches.count)"
                let cache = try setup.openWebCache(origin: site) {
                    $0.clock = VirtualClock(wallNanoseconds: (changedSeconds + 60) * 1_000_000_000)
                }
                caches.append(cache)
                return cache
            }
            let times = try ProbeRounds(3) { _ in
                let cache = try open()
                var stored = 0
                let time = try ProbeRounds.nanoseconds { stored = try cache.importPackage(package, as: "site").stored }
                try require(stored == site.files, "\(stored) of \(site.files) entries were imported")
                return time
            }
            var figures = [
                SystemFigure("entries imported a second", Double(site.files) * 1e9 / times.median(), .perSecond)
            ]
            for (cache, state) in [(caches[0], "warm"), (try open(), "cold")] {
                let asked = try awaited { try await requests(cache, site) }
                figures += [
                    SystemFigure("first requests that hit, \(state)", asked.hits, of: site.files),
                    SystemFigure("median first request, \(state)", asked.medianNanoseconds, .nanoseconds),
                ]
            }
            for cache in caches { try cache.close() }
            return figures
        }

        /// Asks for each file once.
        private static func requests(
            _ cache: HTTPCache, _ site: TextSite
        ) async throws -> (hits: Int, medianNanoseconds: Double) {
            var hits = 0
            var times: [Double] = []
            let clock = ContinuousClock()
            for number in 0..<site.files {
                let start = clock.now
                let response = try await cache.respond(to: HTTPRequest("GET", TextSite.address(number)))
                let body = try await response.body.bytes()
                times.append((clock.now - start) / .nanoseconds(1))
                try require(response.status == 200 && body == site.content(number), "file \(number)")
                if response.source == .fresh { hits += 1 }
            }
            while cache.isBusy { await Task.yield() }
            return (hits, times.sorted()[times.count / 2])
        }
    }

    /// A site of text files, each of about 4 KiB, which pack as pages do.
    private struct TextSite: HTTPOrigin {
        let files: Int

        var bytes: Int { (0..<files).reduce(0) { $0 + content($1).count } }

        static func name(_ number: Int) -> String { "page-\(number).html" }
        static func address(_ number: Int) -> HTTPURL { HTTPURL("https://site.example/\(name(number))")! }

        func content(_ number: Int) -> [UInt8] {
            var generator = SeededGenerator(seed: mix64(UInt64(number)))
            let lines = (0..<100).map { "<p class=\"text\">\($0) \(generator.next() % 1_000_000_007)</p>" }
            return Array(lines.joined(separator: "\n").utf8)
        }

        func write(to folder: String) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for number in 0..<files {
                try Data(content(number)).write(to: URL(filePath: "\(folder)/\(Self.name(number))"))
            }
        }

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let number = Int(request.url.path.filter(\.isNumber)) else { return HTTPResponse(404) }
            let content = content(number)
            return HTTPResponse(
                200, fields: ["Cache-Control": "max-age=86400", "Content-Length": "\(content.count)"],
                body: HTTPBody(content))
        }
    }
#endif
