#if Packages
    import ArgumentParser
    import CacheCore
    import CacheSystems
    import CacheSystemsPackages

    /// Options of every subcommand that reads a package.
    struct PackOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The address of resources that have none: it takes the place of afcpkg://localhost.", valueName: "url"))
        var baseURL: String?

        @Flag(help: "Leave out, and tell, lines of the manifest that cannot be used and files that it does not name.")
        var skipUnusable = false

        @Option(help: ArgumentHelp("The most files (default: 100000).", valueName: "number"))
        var maxFiles: Int?

        @Option(help: ArgumentHelp("The longest body, as 100MiB (default: 2GiB).", valueName: "bytes"))
        var maxBody: String?

        @Option(help: ArgumentHelp("The most bytes of all bodies (default: 8GiB).", valueName: "bytes"))
        var maxTotal: String?

        @Option(
            help: ArgumentHelp("How many bytes may come of one in the archive (default: 200).", valueName: "number"))
        var maxRatio: Int?

        /// Opens a package, and tells what of it is left out.
        func open(_ path: String) throws(AssayError) -> CachePackage {
            var options = PackageOptions()
            if let baseURL { options.baseURL = try Self.address(baseURL, "--base-url") }
            options.skipsUnusable = skipUnusable
            options.filesMax = try Self.positive(maxFiles, "--max-files") ?? options.filesMax
            options.ratioMax = try Self.positive(maxRatio, "--max-ratio") ?? options.ratioMax
            if let maxBody { options.bodyBytesMax = try Self.bytes(maxBody, "--max-body") }
            if let maxTotal { options.totalBytesMax = try Self.bytes(maxTotal, "--max-total") }
            let package = try CachePackage(path, options)
            for fault in package.skipped { Console.error("assay: left out: \(fault.description)") }
            return package
        }

        static func address(_ text: String, _ option: String) throws(AssayError) -> HTTPURL {
            if let url = HTTPURL(text) { return url }
            throw AssayError(
                .usage, "'\(text)' is no address. Write it as https://example.org/path.", at: .init(option))
        }

        private static func positive(_ number: Int?, _ option: String) throws(AssayError) -> Int? {
            guard number.map({ $0 > 0 }) ?? true else {
                throw AssayError(.usage, "\(option) is a number of at least 1.")
            }
            return number
        }

        /// A number of bytes, as `10MiB` or `4096`.
        static func bytes(_ text: String, _ option: String) throws(AssayError) -> Int {
            guard case .absolute(let capacity)? = try? CapacityRequest(parsing: text) else {
                throw AssayError(
                    .usage, "'\(text)' is no number of bytes. Write it as 4096 or 10MiB.", at: .init(option))
            }
            return capacity.amount
        }
    }
#endif
