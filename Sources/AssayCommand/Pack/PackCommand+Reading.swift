#if Packages
    import ArgumentParser
    import CacheCore
    import CacheSystems
    import CacheSystemsPackages

    extension PackCommand {
        /// `assay pack list`: what a package has.
        struct List: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "list",
                abstract: "Say what a package has, as a manifest of the second version, with lengths before.")

            @Argument(help: "The package.", completion: .file())
            var package: String

            @OptionGroup var options: PackOptions

            func run() throws {
                let package = try options.open(package)
                for entry in package.entries { Console.print("\(entry.bytes)\t\(entry.description)") }
                for name in package.dataNames { Console.print("data\t\(name)") }
            }
        }

        /// `assay pack verify`: reads a package to its end.
        struct Verify: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "verify", abstract: "Read a package to its end, and say whether it is whole and safe.")

            @Argument(help: "The package.", completion: .file())
            var package: String

            @OptionGroup var options: PackOptions

            func run() throws {
                let opened = try options.open(package)
                let bytes = try opened.verify()
                Console.print("\(package): \(opened.entries.count) resources, \(bytes) bytes unpacked, whole")
            }
        }

        /// `assay pack import`: stores what a package has in a cache's directory.
        struct Import: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "import", abstract: "Store what a package has in a cache, all of it or nothing.",
                discussion: """
                    The directory has the records of the cache in 'records' and its long bodies in 'bodies'; it is made if \
                    it is missing. No other process may have it open.
                    """)

            @Argument(help: "The package.", completion: .file())
            var package: String

            @Option(
                name: .customLong("into"), help: ArgumentHelp("The directory of the cache.", valueName: "dir"),
                completion: .directory)
            var directory: String

            @Option(
                name: .customLong("as"),
                help: "The name to purge it by (default: that of the file, without its suffix).")
            var name: String?

            @Option(help: "Which stays of two for one address: newer, replace (the package's) or keep (the cache's).")
            var conflict = "newer"

            @OptionGroup var encryption: EncryptionSelection
            @OptionGroup var options: PackOptions

            func run() throws {
                guard let conflict = HTTPBatch.Conflict(rawValue: conflict) else {
                    throw AssayError(
                        .usage, "'\(self.conflict)' is no rule. There are newer, replace and keep.",
                        at: .init("--conflict"))
                }
                let opened = try options.open(package)
                let name = self.name ?? PackDirectory.name(of: package)
                let report = try PackDirectory.withCache(in: directory, encryption) { cache in
                    let report = try cache.importPackage(opened, as: name, conflict)
                    try cache.flush()
                    return report
                }
                Console.print(
                    "\(name): \(report.stored) stored, \(report.kept) kept as they were, \(report.displaced) without room, "
                        + "\(report.bytes) bytes unpacked")
            }
        }

        /// `assay pack purge`: removes what came from a package.
        struct Purge: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "purge",
                abstract: "Remove from a cache what was stored from a package and not replaced since.")

            @Argument(help: "The name of the package in the cache.")
            var name: String

            @Option(
                name: .customLong("from"), help: ArgumentHelp("The directory of the cache.", valueName: "dir"),
                completion: .directory)
            var directory: String

            @OptionGroup var encryption: EncryptionSelection

            func run() throws {
                let urls = try PackDirectory.withCache(in: directory, encryption) { try $0.purge(group: name) }
                for url in urls { Console.print(url) }
                if urls.isEmpty { Console.error("assay: nothing is stored from '\(name)'") }
            }
        }
    }
#endif
