#if Packages
    public import CacheCore
    public import CacheSystems

    /// A resource that a package is to have.
    public struct PackageItem: Sendable {
        /// Where its body is.
        public enum Content: Sendable, Hashable {
            /// Here.
            case bytes([UInt8])
            /// In a file, read when the package is written.
            case file(String)
        }

        /// Its address.
        public var url: HTTPURL
        /// Its body.
        public var content: Content
        /// When it was changed last, in seconds since 1970; nil for no word about it.
        public var lastModifiedSeconds: Int64?
        /// Until when it is fresh, in seconds since 1970; nil for no word about it.
        public var expiresSeconds: Int64?
        /// Its media type, as `text/html; charset=utf-8`; nil for no word about it.
        public var mediaType: String?
        /// Data that are kept beside it in a cache; nil for none.
        public var userData: [UInt8]?

        /// A resource, of which nothing else is known.
        public init(_ url: HTTPURL, _ content: Content) {
            self.url = url
            self.content = content
        }
    }

    /// Writes packages, which ``CachePackage`` reads.
    ///
    /// Equal items make equal bytes, in whatever order they are given, as long as zlib is the same: files are sorted by address, and have no time
    /// of their own. The package gets its name when it is whole; until then, and if anything goes wrong, what had that name stays.
    public struct PackageBuilder: Sendable {
        /// The version of the manifest. The first has room only for addresses whose host and path make a name for a file.
        public var manifest = ManifestVersion.second
        /// Data that belong to the package as a whole, by their names, as `key/settings.json`: they lie in `.userdata/`.
        public var data: [String: PackageItem.Content] = [:]
        /// What a package that is written must keep to, so that it can be read with the same.
        public var options = PackageOptions()

        /// The second version of the manifest, no data.
        public init() {}

        /// Writes a package, and returns how many bytes it has. O(bytes of the items), in constant memory where they are in files.
        ///
        /// - Throws: `AssayError` with code `usage` for items that make no package: two with one address, an address or a type that the
        ///   manifest has no room for, more than `options` allow; `inputOutput` if something cannot be read or written.
        @discardableResult
        public func write(_ items: [PackageItem], to path: String) throws(AssayError) -> Int {
            let files = try self.files(of: items)
            var bytes = 0
            try ZipWriter.replace(path) { (temporary) throws(AssayError) in
                try ZipWriter.write(files, to: temporary)
                // What packs too well would be taken for a bomb by whoever reads it: it goes in as it is.
                let steep = try steepNames(temporary)
                if !steep.isEmpty { try ZipWriter.write(files, storing: steep, to: temporary) }
                do throws(AssayError) {
                    _ = try CachePackage(temporary, options)
                    bytes = ZipReader.regularFileBytes(temporary) ?? 0
                } catch {
                    throw AssayError(
                        .usage, "What would be written is no package that these options let be read.", at: .init(path),
                        cause: error.message)
                }
            }
            return bytes
        }

        private func steepNames(_ path: String) throws(AssayError) -> Set<String> {
            let files = try ZipReader(path).files()
            let steep = files.filter { $0.bytes > 1 << 20 && $0.bytes / max(1, $0.packedBytes) >= options.ratioMax / 2 }
            return Set(steep.map(\.name))
        }

        /// The files of the archive in their order: the manifest, bodies by address, data by name.
        private func files(of items: [PackageItem]) throws(AssayError) -> [ZipWriter.File] {
            let items = items.sorted { $0.url.description < $1.url.description }
            for (item, next) in zip(items, items.dropFirst()) where item.url == next.url {
                throw AssayError(.usage, "There are two items for \(item.url). Leave one out.")
            }
            var names: Set<String> = []
            var lines: [String] = []
            var bodies: [ZipWriter.File] = []
            var userData: [ZipWriter.File] = []
            for (number, item) in items.enumerated() {
                let name = try self.name(of: item, number: number + 1, &names)
                bodies.append(ZipWriter.File(name: name, content: item.content))
                if let data = item.userData {
                    userData.append(ZipWriter.File(name: PackageNames.entryData + name, content: .bytes(data)))
                }
                lines.append(try line(for: item, name))
            }
            for (name, content) in data.sorted(by: { $0.key < $1.key }) {
                let whole = PackageNames.userData + name
                guard PackageNames.fault(whole) == nil, !whole.hasPrefix(PackageNames.entryData), !name.hasSuffix("/")
                else {
                    throw AssayError(.usage, "'\(name)' is no name for data of a package. Take a relative path.")
                }
                userData.append(ZipWriter.File(name: whole, content: content))
            }
            let text = lines.map { $0 + "\n" }.joined()
            return [ZipWriter.File(name: PackageNames.manifest, content: .bytes(Array(text.utf8)))] + bodies + userData
        }

        private func name(of item: PackageItem, number: Int, _ names: inout Set<String>) throws(AssayError) -> String {
            if let name = PackageNames.name(item.url), names.insert(name).inserted { return name }
            guard manifest == .second else {
                throw AssayError(
                    .usage,
                    "\(item.url) makes no name for a file, which the first version of the manifest needs. Use the second."
                )
            }
            // The names of the others begin with their hosts: a host 'files' is one label, and this one has a sign that none has.
            let name = "files@/\(number)"
            names.insert(name)
            return name
        }

        private func line(for item: PackageItem, _ name: String) throws(AssayError) -> String {
            if let type = item.mediaType,
                type.contains(" ; ") || type.isEmpty || type.utf8.contains(where: { $0 < 32 || $0 == 127 })
            {
                throw AssayError(
                    .usage, "'\(type)' is no media type for a manifest. Write it as 'text/html; charset=utf-8'.")
            }
            return PackageManifest.text(
                PackageManifest.Line(
                    number: 0, url: item.url, address: item.url.description,
                    lastModifiedSeconds: item.lastModifiedSeconds,
                    expiresSeconds: item.expiresSeconds, mediaType: item.mediaType, file: name), manifest)
        }
    }
#endif
