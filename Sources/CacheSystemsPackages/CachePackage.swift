#if Packages
    public import CacheCore
    internal import CacheEngine
    public import CacheSystems

    /// A package of web resources: a zip archive with a manifest, as AFCache's tools make them, and ``PackageBuilder``.
    ///
    /// ```swift
    /// let package = try CachePackage("issue-12.zip")
    /// let report = try cache.importPackage(package, as: "issue-12")
    /// // … and when the issue is read:
    /// try cache.purge(group: "issue-12")
    /// ```
    ///
    /// Opening reads the directory of the archive and the manifest, in either version, and refuses what is not safe or does not go together:
    /// names that lead out of a directory (`..`, absolute paths, backslashes, drive letters), links and other special
    /// files, encrypted files, two files of one name, files that share bytes of the archive, more than ``PackageOptions`` allows, a manifest
    /// with a line that cannot be understood, a line without its file, and a file without a line. Contents are held against their lengths
    /// and checksums when they are read.
    ///
    /// A file in `.userdata/.entries/` holds the data of the entry whose file has the same name after that; other files in `.userdata/` belong
    /// to the package as a whole, and are read by ``data(named:)``.
    ///
    /// For one thread at a time. Everything here waits for the disk.
    public final class CachePackage {
        /// A resource in a package. Its description is its line in a manifest of the second version.
        public struct Entry: Sendable, Hashable, CustomStringConvertible {
            /// Its address.
            public let url: HTTPURL
            /// The name of its file in the archive.
            public let file: String
            /// When it was changed last, in seconds since 1970; nil if that is not said.
            public let lastModifiedSeconds: Int64?
            /// Until when it is fresh, in seconds since 1970; nil if that is not said.
            public let expiresSeconds: Int64?
            /// Its media type, as `text/html; charset=utf-8`; nil if that is not said.
            public let mediaType: String?
            /// The length of its body.
            public let bytes: Int
            /// The line of the manifest, from 1.
            public let line: Int

            /// `URL ; Last-Modified ; Expires ; type ; file`.
            public var description: String {
                PackageManifest.text(
                    PackageManifest.Line(
                        number: line, url: url, address: url.description, lastModifiedSeconds: lastModifiedSeconds,
                        expiresSeconds: expiresSeconds, mediaType: mediaType, file: file), .second)
            }
        }

        /// Where it lies.
        public let path: String
        /// What it has for a cache, in the order of the manifest.
        public let entries: [Entry]
        /// What was left out, with its place and the reason: empty unless ``PackageOptions/skipsUnusable``.
        public let skipped: [AssayError]
        /// The names of the files that belong to the package as a whole, without `.userdata/`.
        public let dataNames: [String]
        let options: PackageOptions
        private let reader: ZipReader
        private let files: [String: ZipReader.File]

        /// Opens a package.
        ///
        /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, and `badInput` for what is refused.
        public init(_ path: String, _ options: PackageOptions = PackageOptions()) throws(AssayError) {
            let reader = try ZipReader(path)
            let files = try Self.files(reader, options)
            guard let manifest = files[PackageNames.manifest] else {
                throw AssayError(
                    .badInput, "There is no '\(PackageNames.manifest)' in the archive. It is no package of a cache.",
                    at: .init(path))
            }
            let source = "\(path)/\(PackageNames.manifest)"
            let content = try reader.content(manifest, bytesMax: options.manifestBytesMax)
            let read = PackageManifest(
                content, source: source, baseURL: options.baseURL,
                nowSeconds: SystemClock().wallNanoseconds() / 1_000_000_000)
            var skipped = read.faults
            let entries = Self.entries(read.lines, files, source, &skipped)
            let named = Set(entries.map(\.file))
            let others = files.keys.filter { $0 != PackageNames.manifest && !named.contains($0) }.sorted()
            for name in others where !name.hasPrefix(PackageNames.userData) {
                skipped.append(
                    AssayError(
                        .badInput, "The manifest does not name '\(name)'. Add a line for it, or leave the file out.",
                        at: .init(source)))
            }
            for name in others where name.hasPrefix(PackageNames.entryData) {
                guard !named.contains(String(name.dropFirst(PackageNames.entryData.count))) else { continue }
                skipped.append(
                    AssayError(
                        .badInput, "'\(name)' is data of a file that is not there. Leave it out.", at: .init(path)))
            }
            if !options.skipsUnusable, let first = skipped.first { throw first }
            try Self.requireTotal(entries, options, path)
            dataNames = others.filter { $0.hasPrefix(PackageNames.userData) && !$0.hasPrefix(PackageNames.entryData) }
                .map { String($0.dropFirst(PackageNames.userData.count)) }
            self.path = path
            self.entries = entries
            self.options = options
            self.skipped = skipped
            self.reader = reader
            self.files = files
        }

        // MARK: Reading

        /// The body of an entry, in pieces, each given to `body` in its turn.
        ///
        /// - Throws: `badInput` for one that is damaged; what `body` throws.
        public func read(_ entry: Entry, _ body: ([UInt8]) throws -> Void) throws {
            let stream = try stream(entry)
            while let piece = try stream.next() { try body(piece) }
        }

        func stream(_ entry: Entry) throws(AssayError) -> ZipStream { try reader.stream(files[entry.file]!) }

        /// The data that belong to an entry; nil if there are none.
        ///
        /// - Throws: `badInput` for what is damaged, or longer than ``PackageOptions/userDataBytesMax``.
        public func userData(of entry: Entry) throws(AssayError) -> [UInt8]? {
            guard let file = files[PackageNames.entryData + entry.file] else { return nil }
            return try reader.content(file, bytesMax: options.userDataBytesMax)
        }

        /// The data of a name that belong to the package as a whole, such as `key/settings.json`; nil if there are none. They are in memory as a
        /// whole.
        ///
        /// - Throws: `badInput` for what is damaged.
        public func data(named name: String) throws(AssayError) -> [UInt8]? {
            guard dataNames.contains(name), let file = files[PackageNames.userData + name] else { return nil }
            return try reader.content(file, bytesMax: options.bodyBytesMax)
        }

        /// Reads everything to its end, and says how many bytes there are in all files but the manifest.
        ///
        /// - Throws: `badInput` for the first file that is damaged.
        @discardableResult
        public func verify() throws(AssayError) -> Int {
            var bytes = 0
            for file in files.values.sorted(by: { $0.index < $1.index }) {
                let stream = try reader.stream(file)
                while let piece = try stream.next() { bytes += file.name == PackageNames.manifest ? 0 : piece.count }
            }
            return bytes
        }
    }
#endif
