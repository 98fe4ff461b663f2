#if Packages
    internal import CZip
    internal import CacheCore

    // What makes a package be refused before anything of it is read.
    extension CachePackage {
        /// The files of an archive by their names, if all of them may be there.
        static func files(_ reader: ZipReader, _ options: PackageOptions) throws(AssayError) -> [String: ZipReader.File]
        {
            guard reader.count <= options.filesMax else {
                throw refusal(
                    "The archive has \(reader.count) files, and \(options.filesMax) are allowed.", reader, .limit)
            }
            var files: [String: ZipReader.File] = [:]
            var packedBytes = 0
            for file in try reader.files() {
                if let fault = PackageNames.fault(file.name) {
                    throw refusal("The name '\(shown(file.name))' \(fault).", reader, .unsafe)
                }
                guard [0, regularFile, directory].contains(file.unixType),
                    !(file.unixType == directory && !file.isDirectory)
                else { throw refusal("'\(file.name)' is a link or another special file.", reader, .unsafe) }
                if file.isEncrypted {
                    throw refusal("'\(file.name)' is encrypted, which packages are not.", reader, .rebuild)
                }
                guard [ZIP_CM_STORE, ZIP_CM_DEFLATE].contains(file.method) else {
                    throw refusal("'\(file.name)' is packed by a method other than deflate.", reader, .rebuild)
                }
                try requireModest(file, options, reader)
                guard file.packedBytes <= reader.archiveBytes - packedBytes else {
                    throw refusal("Files of the archive share its bytes.", reader, .unsafe)
                }
                packedBytes += file.packedBytes
                if file.isDirectory { continue }
                guard files.updateValue(file, forKey: file.name) == nil else {
                    throw refusal("There are two files '\(file.name)'.", reader, .rebuild)
                }
            }
            return files
        }

        private static func requireModest(
            _ file: ZipReader.File, _ options: PackageOptions, _ reader: ZipReader
        ) throws(AssayError) {
            if file.bytes > options.bodyBytesMax {
                throw refusal(
                    "'\(file.name)' has \(file.bytes) bytes, and \(options.bodyBytesMax) are allowed.", reader, .limit)
            }
            // Small files are let be: what they can do is told by their number.
            if file.bytes > 1 << 20, file.bytes / max(1, file.packedBytes) > options.ratioMax {
                throw refusal(
                    "'\(file.name)' unpacks to more than \(options.ratioMax) times its bytes in the archive.", reader,
                    .limit)
            }
            if file.isDirectory, file.bytes > 0 {
                throw refusal("'\(file.name)' is a directory with a content.", reader, .unsafe)
            }
        }

        /// Holds what would be unpacked against the limit: a file counts for each line that names it.
        static func requireTotal(_ entries: [Entry], _ options: PackageOptions, _ path: String) throws(AssayError) {
            var total = 0
            for entry in entries {
                guard entry.bytes <= options.totalBytesMax - total else {
                    throw AssayError(
                        .badInput,
                        "The bodies have more than \(options.totalBytesMax) bytes together. \(Advice.limit.rawValue)",
                        at: .init(path))
                }
                total += entry.bytes
            }
        }

        /// The resources that lines of the manifest name, in their order; what has no file is added to `faults`.
        static func entries(
            _ lines: [PackageManifest.Line], _ files: [String: ZipReader.File], _ source: String,
            _ faults: inout [AssayError]
        ) -> [Entry] {
            var entries: [Entry] = []
            for line in lines {
                let names = line.file.map { [$0] } ?? PackageNames.candidates(line.address)
                let isBody = { (name: String) in name != PackageNames.manifest && !name.hasPrefix(PackageNames.userData)
                }
                guard let name = names.first(where: { files[$0] != nil && isBody($0) }), let file = files[name] else {
                    faults.append(
                        AssayError(
                            .badInput,
                            "There is no file '\(shown(names.first ?? line.address))' for \(line.url). Add it, or leave the line out.",
                            at: .init(source, line: line.number)))
                    continue
                }
                entries.append(
                    Entry(
                        url: line.url, file: name, lastModifiedSeconds: line.lastModifiedSeconds,
                        expiresSeconds: line.expiresSeconds, mediaType: line.mediaType, bytes: file.bytes,
                        line: line.number))
            }
            return entries
        }

        private static let regularFile: UInt32 = 0o100000
        private static let directory: UInt32 = 0o040000

        private enum Advice: String {
            case limit = "Raise the limit if you trust the package."
            case unsafe = "Do not trust the package; its maker should build it anew."
            case rebuild = "Build the package anew."
        }

        private static func refusal(_ fault: String, _ reader: ZipReader, _ advice: Advice) -> AssayError {
            AssayError(.badInput, "\(fault) \(advice.rawValue)", at: .init(reader.path))
        }

        /// A name as it can be printed.
        private static func shown(_ name: String) -> String {
            String(decoding: name.utf8.prefix(200).map { $0 < 32 || $0 == 127 ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
        }
    }
#endif
