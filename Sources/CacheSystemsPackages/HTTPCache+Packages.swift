#if Packages
    internal import CacheCore
    public import CacheSystems

    /// What became of the entries of a package.
    public struct PackageReport: Sendable, Hashable {
        /// How many are stored.
        public internal(set) var stored = 0
        /// How many are not, since there was an answer that was to be kept.
        public internal(set) var kept = 0
        /// How many are not, since they had to make room for others.
        public internal(set) var displaced = 0
        /// The bytes of the bodies that were read.
        public internal(set) var bytes = 0
    }

    extension HTTPCache {
        /// Stores what a package has, all of it or nothing, under a group of the package's name.
        ///
        /// Each entry becomes an answer of status 200 to a GET without fields, with the dates and the type that the manifest names, and its data
        /// as ``CacheSystems/HTTPCache/userData(for:)``. It counts as made when it was changed last, or now where that is not said or is yet to
        /// come; one without an end of its freshness is to be confirmed at once, and serves offline. Whatever the package is
        /// called, ``CacheSystems/HTTPCache/purge(group:)`` removes exactly what was stored from it and has not been replaced since.
        ///
        /// Bodies go to their files in pieces. Memory holds what ``CacheSystems/HTTPBatch`` holds. Waits for the disk.
        ///
        /// - Parameters:
        ///   - name: the group.
        ///   - conflict: what happens to an entry for which there is an answer. The same package again stores nothing with `newer`, which
        ///     is what is done if nothing is said.
        /// - Throws: `AssayError` with code `badInput` for content that is damaged; what ``CacheSystems/HTTPBatch`` throws. The cache has what it
        ///   had before.
        @discardableResult
        public func importPackage(
            _ package: CachePackage, as name: String, _ conflict: HTTPBatch.Conflict = .newer
        ) throws -> PackageReport {
            let batch = self.batch()
            var report = PackageReport()
            for entry in package.entries {
                var options = HTTPRequestOptions()
                options.groups = [name]
                options.userData = try package.userData(of: entry)
                let stream = try package.stream(entry)
                let isStorable = try batch.add(
                    HTTPResponse(200, fields: entry.fields(nowSeconds: wallSeconds)),
                    for: HTTPRequest("GET", entry.url),
                    options, body: { try stream.next() })
                guard isStorable else {
                    throw AssayError(
                        .internalError, "\(entry.url) may not be stored, which an entry of a package always may.")
                }
                report.bytes += entry.bytes
            }
            for fate in try batch.store(conflict) {
                switch fate {
                case .stored: report.stored += 1
                case .kept: report.kept += 1
                case .displaced: report.displaced += 1
                }
            }
            return report
        }
    }

    extension CachePackage.Entry {
        /// The header of the answer that it becomes.
        func fields(nowSeconds: Int64) -> HTTPFields {
            var fields: HTTPFields = ["Date": HTTPDate.text(of: min(lastModifiedSeconds ?? nowSeconds, nowSeconds))]
            if let lastModifiedSeconds { fields["Last-Modified"] = HTTPDate.text(of: lastModifiedSeconds) }
            if let expiresSeconds { fields["Expires"] = HTTPDate.text(of: expiresSeconds) }
            if let mediaType { fields["Content-Type"] = mediaType }
            fields["Content-Length"] = String(bytes)
            return fields
        }
    }
#endif
