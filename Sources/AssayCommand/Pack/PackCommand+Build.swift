#if Packages
    import ArgumentParser
    import CacheCore
    import CacheSystems
    import CacheSystemsPackages
    import Foundation

    extension PackCommand {
        /// `assay pack build`: makes a package of a directory, or of what a manifest names.
        struct Build: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "build",
                abstract: "Make a package of the files of a directory, or of those that a manifest names.",
                discussion: """
                    The same files with the same times make the same bytes; --last-modified with a number makes them the \
                    same wherever they lie. The package takes the place of one that is there when it is whole. Files that \
                    are passed over are named on standard error.
                    """)

            @Argument(help: "The package to write.", completion: .file())
            var package: String

            @Option(
                help: ArgumentHelp("The directory whose files are packed.", valueName: "dir"), completion: .directory)
            var folder: String?

            @Option(
                help: ArgumentHelp(
                    "A manifest whose files lie beside it, instead of a directory. Its dates and types are taken.",
                    valueName: "file"), completion: .file())
            var manifest: String?

            @Option(help: ArgumentHelp("The address of the directory, as https://example.org/docs.", valueName: "url"))
            var baseURL: String?

            @Option(help: ArgumentHelp("For how long files are fresh after their last change.", valueName: "seconds"))
            var maxAge: Int64?

            @Option(
                help: ArgumentHelp(
                    "When files count as changed last: file, now, or seconds since 1970.", valueName: "when"))
            var lastModified = "file"

            @Option(help: ArgumentHelp("Seconds to add to that.", valueName: "seconds"))
            var lastModifiedPlus: Int64 = 0

            @Option(help: ArgumentHelp("Seconds to take from that.", valueName: "seconds"))
            var lastModifiedMinus: Int64 = 0

            @Option(help: ArgumentHelp("Pass over longer files, as 10MiB.", valueName: "bytes"))
            var maxItemSize: String?

            @Option(
                name: .customLong("exclude"),
                help: ArgumentHelp(
                    "Pass over relative paths of this pattern, as 'drafts/*'; may be repeated.", valueName: "glob"))
            var excluded: [String] = []

            @Flag(name: .shortAndLong, help: "Take files and directories whose names begin with a dot too.")
            var all = false

            @Flag(help: "Leave out media types, which otherwise follow from the files' suffixes.")
            var noTypes = false

            @Option(
                name: .customLong("address"),
                help: ArgumentHelp("Give a file an address of its own; may be repeated.", valueName: "path=url"))
            var addresses: [String] = []

            @Option(
                help: ArgumentHelp(
                    "A directory with data of the package as a whole, for '.userdata'.", valueName: "dir"),
                completion: .directory)
            var userData: String?

            @Option(help: ArgumentHelp("The name in '.userdata' under which they lie.", valueName: "key"))
            var userDataKey: String?

            @Option(
                name: .customLong("item-data"),
                help: ArgumentHelp(
                    "Keep the bytes of a file beside the entry of an address, for programs; may be repeated.",
                    valueName: "url=file"))
            var itemData: [String] = []

            @Option(help: ArgumentHelp("The version of the manifest: 1 or 2.", valueName: "number"))
            var manifestVersion = 2

            func run() throws {
                var builder = PackageBuilder()
                guard let version = ManifestVersion(rawValue: manifestVersion) else {
                    throw AssayError(
                        .usage, "There is no version \(manifestVersion) of the manifest. There are 1 and 2.")
                }
                builder.manifest = version
                builder.data = try data()
                var items = try items()
                try addData(to: &items)
                guard !items.isEmpty || !builder.data.isEmpty else {
                    throw AssayError(
                        .badInput, "There is nothing to pack. Hidden files need --all.",
                        at: .init(folder ?? manifest ?? ""))
                }
                let bytes = try builder.write(items, to: package)
                Console.print("\(package): \(items.count) resources, \(bytes) bytes")
            }

            func validate() throws {
                let most: Int64 = 10_000_000_000
                guard (0...most).contains(maxAge ?? 0), (0...most).contains(lastModifiedPlus),
                    (0...most).contains(lastModifiedMinus)
                else { throw ValidationError("Give times as seconds, from 0 to \(most).") }
            }

            private func items() throws -> [PackageItem] {
                let base = try baseURL.map { try PackOptions.address($0, "--base-url") }
                switch (folder, manifest) {
                case (let folder?, nil):
                    guard let base else {
                        throw AssayError(.usage, "--folder needs --base-url, the address of the directory.")
                    }
                    return try items(of: folder, at: base)
                case (nil, let manifest?):
                    let given = [
                        ("--max-age", maxAge != nil), ("--last-modified", lastModified != "file"),
                        ("--last-modified-plus", lastModifiedPlus != 0),
                        ("--last-modified-minus", lastModifiedMinus != 0), ("--max-item-size", maxItemSize != nil),
                        ("--exclude", !excluded.isEmpty), ("--all", all && userData == nil), ("--no-types", noTypes),
                        ("--address", !addresses.isEmpty),
                    ].filter(\.1).map(\.0)
                    guard given.isEmpty else {
                        throw AssayError(
                            .usage,
                            "A manifest says itself what it packs. Leave \(given.joined(separator: ", ")) out, or give --folder.",
                            at: .init("--manifest"))
                    }
                    return try PackageFolder.items(manifest: manifest, baseURL: base)
                default: throw AssayError(.usage, "Give either --folder or --manifest.")
                }
            }

            private func items(of folder: String, at base: HTTPURL) throws -> [PackageItem] {
                var source = PackageFolder(folder, at: base)
                source.maxAgeSeconds = maxAge
                source.changed = try changed()
                source.changedOffsetSeconds = lastModifiedPlus - lastModifiedMinus
                source.includesHidden = all
                source.excluded = excluded
                source.namesTypes = !noTypes
                if let maxItemSize { source.fileBytesMax = try PackOptions.bytes(maxItemSize, "--max-item-size") }
                for text in addresses {
                    guard let sign = text.firstIndex(of: "=") else {
                        throw AssayError(
                            .usage, "'\(text)' is no path and address. Write path=https://….", at: .init("--address"))
                    }
                    let url = try PackOptions.address(String(text[text.index(after: sign)...]), "--address")
                    source.addresses[String(text[..<sign])] = url
                }
                let (items, passedOver) = try source.items()
                for name in passedOver { Console.error("assay: \(folder)/\(name) is passed over") }
                return items
            }

            private func addData(to items: inout [PackageItem]) throws(AssayError) {
                for text in itemData {
                    // An address may have the sign too.
                    guard let sign = text.lastIndex(of: "=") else {
                        throw AssayError(
                            .usage, "'\(text)' is no address and file. Write https://…=path.", at: .init("--item-data"))
                    }
                    let url = try PackOptions.address(String(text[..<sign]), "--item-data")
                    guard let place = items.firstIndex(where: { $0.url == url }) else {
                        throw AssayError(
                            .usage, "There is no entry '\(url)' to have data. Name one that is packed.",
                            at: .init("--item-data"))
                    }
                    let path = String(text[text.index(after: sign)...])
                    do { items[place].userData = [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
                        throw AssayError(
                            .inputOutput, "The file cannot be read. Check the path and its permissions.",
                            at: .init(path), cause: error.localizedDescription)
                    }
                }
            }

            private func changed() throws(AssayError) -> PackageFolder.Changed {
                switch lastModified {
                case "file": return .file
                case "now": return .at(Int64(Date().timeIntervalSince1970))
                default:
                    // Four digits of a year are what the dates of the manifest have room for.
                    guard let seconds = Int64(lastModified), abs(seconds) < 200_000_000_000 else {
                        throw AssayError(
                            .usage, "'\(lastModified)' is no moment. Write file, now, or seconds since 1970.",
                            at: .init("--last-modified"))
                    }
                    return .at(seconds)
                }
            }

            private func data() throws(AssayError) -> [String: PackageItem.Content] {
                guard let userData else {
                    if userDataKey != nil { throw AssayError(.usage, "--user-data-key needs --user-data.") }
                    return [:]
                }
                // The files are what is of use; the addresses are of no site.
                var source = PackageFolder(userData, at: HTTPURL("http://package.invalid/")!)
                source.includesHidden = all
                let prefix = userDataKey.map { $0 + "/" } ?? ""
                var data: [String: PackageItem.Content] = [:]
                for item in try source.items().items {
                    guard case .file(let path) = item.content else { continue }
                    data[prefix + path.dropFirst(userData.count + 1)] = item.content
                }
                return data
            }
        }
    }
#endif
