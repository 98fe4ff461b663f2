#if Packages
    public import CacheCore
    public import CacheSystems
    internal import Foundation

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// The files of a directory as items of a package: each has the address of the site that the directory is the root of.
    public struct PackageFolder: Sendable {
        /// When files count as changed last.
        public enum Changed: Sendable, Hashable {
            /// When they were.
            case file
            /// At one moment, in seconds since 1970: for packages that are to have the same bytes wherever they are built.
            case at(Int64)
        }

        /// The directory.
        public var path: String
        /// The address of the directory.
        public var baseURL: HTTPURL
        /// For how many seconds after their last change files are fresh; nil for no word about it.
        public var maxAgeSeconds: Int64?
        /// When files count as changed last.
        public var changed = Changed.file
        /// Seconds that are added to that.
        public var changedOffsetSeconds: Int64 = 0
        /// Whether files and directories are taken whose names begin with a dot.
        public var includesHidden = false
        /// The most bytes of a file that is taken.
        public var fileBytesMax = Int.max
        /// Patterns of relative paths that are not taken, as the shell has them; a star stands for slashes too.
        public var excluded: [String] = []
        /// Whether files have media types, by their suffixes.
        public var namesTypes = true
        /// Addresses of files, by their relative paths, that are not those that follow from `baseURL`.
        public var addresses: [String: HTTPURL] = [:]

        /// A directory, of which all is taken that is not hidden.
        public init(_ path: String, at baseURL: HTTPURL) {
            self.path = path
            self.baseURL = baseURL
        }

        /// The items in the order of their paths, and the paths that were passed over: too long, excluded, links and other special files. Hidden
        /// ones are not told.
        ///
        /// - Throws: `inputOutput` if the directory or a file cannot be looked at; `usage` for an entry of `addresses` without its file.
        public func items() throws(AssayError) -> (items: [PackageItem], passedOver: [String]) {
            var items: [PackageItem] = []
            var passedOver: [String] = []
            var unused = Set(addresses.keys)
            for (name, attributes) in try files() {
                let bytes = ZipReader.regularFileBytes("\(path)/\(name)") ?? 0
                let isExcluded = excluded.contains { fnmatch($0, name, 0) == 0 }
                guard attributes[.type] as? FileAttributeType == .typeRegular, bytes <= fileBytesMax, !isExcluded else {
                    passedOver.append(name)
                    continue
                }
                unused.remove(name)
                items.append(item(name, attributes))
            }
            if let name = unused.sorted().first {
                throw AssayError(
                    .usage,
                    "There is no file '\(name)' in \(path), or it is passed over. Give addresses of files that are packed."
                )
            }
            return (items, passedOver)
        }

        private func item(_ name: String, _ attributes: [FileAttributeKey: Any]) -> PackageItem {
            let root = baseURL.description
            let separator = root.hasSuffix("/") ? "" : "/"
            // A path whose parts are names has an address.
            let url = addresses[name] ?? HTTPURL(root + separator + PackageNames.escaped(name))!
            var item = PackageItem(url, .file("\(path)/\(name)"))
            let seconds: Int64
            switch changed {
            case .file:
                seconds = Int64(((attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0).rounded(.down))
            case .at(let moment): seconds = moment
            }
            item.lastModifiedSeconds = seconds + changedOffsetSeconds
            item.expiresSeconds = maxAgeSeconds.map { seconds + changedOffsetSeconds + $0 }
            item.mediaType = namesTypes ? MediaTypes.type(of: name) : nil
            return item
        }

        /// What is below the directory and no directory, by relative paths, sorted.
        private func files() throws(AssayError) -> [(String, [FileAttributeKey: Any])] {
            var files: [(String, [FileAttributeKey: Any])] = []
            var directories = [""]
            do {
                while let directory = directories.popLast() {
                    for name in try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(directory)") {
                        guard includesHidden || !name.hasPrefix(".") else { continue }
                        let whole = directory + name
                        // Of a link, not of what it leads to.
                        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(whole)")
                        if attributes[.type] as? FileAttributeType == .typeDirectory {
                            directories.append(whole + "/")
                        } else {
                            files.append((whole, attributes))
                        }
                    }
                }
            } catch {
                throw AssayError(
                    .inputOutput, "The directory cannot be read. Check the path and its permissions.", at: .init(path),
                    cause: error.localizedDescription)
            }
            return files.sorted { $0.0 < $1.0 }
        }
    }

    extension PackageFolder {
        /// The items that a manifest names, whose files lie beside it: in either version, as it is in a package.
        ///
        /// - Throws: `inputOutput` if it cannot be read; `badInput` for the first line that cannot be understood or has no file.
        public static func items(
            manifest path: String, baseURL: HTTPURL? = nil
        ) throws(AssayError) -> [PackageItem] {
            let bytes: [UInt8]
            do { bytes = [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
                throw AssayError(
                    .inputOutput, "The manifest cannot be read. Check the path and its permissions.", at: .init(path),
                    cause: error.localizedDescription)
            }
            let now = Int64(Date().timeIntervalSince1970)
            let manifest = PackageManifest(bytes, source: path, baseURL: baseURL, nowSeconds: now)
            if let fault = manifest.faults.first { throw fault }
            let directory = URL(filePath: path).deletingLastPathComponent().path
            return try manifest.lines.map { (line) throws(AssayError) in
                let names = line.file.map { [$0] } ?? PackageNames.candidates(line.address)
                guard
                    let name = names.first(where: {
                        PackageNames.fault($0) == nil && ZipReader.regularFileBytes("\(directory)/\($0)") != nil
                    })
                else {
                    throw AssayError(
                        .badInput,
                        "There is no file '\(names.first ?? line.address)' beside the manifest. Add it, or leave the line out.",
                        at: .init(path, line: line.number))
                }
                var item = PackageItem(line.url, .file("\(directory)/\(name)"))
                item.lastModifiedSeconds = line.lastModifiedSeconds
                item.expiresSeconds = line.expiresSeconds
                item.mediaType = line.mediaType
                return item
            }
        }
    }
#endif
