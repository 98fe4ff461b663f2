#if HTTP
    import ArgumentParser
    import CacheCore
    import CacheHarness
    import CacheSystems
    import Foundation

    /// The options that say where web resources are stored, and how many.
    struct HTTPStoreSelection: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "What leaves when --capacity is reached, as lru or s3fifo:small=0.05 (default: lru).",
                valueName: "policy"))
        var policy = "lru"

        @Option(
            name: [.customLong("backend"), .customLong("storage")],
            help: ArgumentHelp(
                "Where records and short bodies are (default: dictionary; with --directory, file).",
                valueName: "backend"))
        var backend: String?

        @Option(
            help: ArgumentHelp(
                "Keep what is stored in this directory, for the next time too; no other process may use it.",
                valueName: "dir"))
        var directory: String?

        @Option(help: ArgumentHelp("How much may be stored, as 500MiB (default: no limit).", valueName: "bytes"))
        var capacity: String?

        @OptionGroup var encryption: EncryptionSelection

        /// An open cache, and what must be done when it is closed.
        struct Opened {
            let cache: HTTPCache
            fileprivate let temporary: String?

            func close() throws {
                try cache.close()
                if let temporary { try? FileManager.default.removeItem(atPath: temporary) }
            }
        }

        /// Opens the cache that the options describe.
        func open(profile: HTTPProfile, originRequests: Int, origin: any HTTPOrigin) throws(AssayError) -> Opened {
            let policy = try selectedPolicy()
            let backend = try selectedBackend()
            let limit = try bytes()
            let temporary = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
            let folder = directory.map { URL(filePath: $0).path } ?? temporary
            var options = HTTPCacheOptions(Registry.webCacheName)
            options.profile = profile
            options.originRequestsMax = originRequests
            options.bodyDirectory = folder + "/bodies"
            options.storeBytesMax = limit
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let records = backend.entry.descriptor.needsDirectory ? folder + "/records" : nil
                let storage = try encryption.store(for: &options) { () throws(StorageError) in
                    try backend.entry.open(directory: records, parameters: backend.parameters)
                }
                let cache = try HTTPCache(
                    options, policy: policy.entry, parameters: policy.parameters, storage: storage, origin: origin)
                return Opened(cache: cache, temporary: directory == nil ? temporary : nil)
            } catch {
                if directory == nil { try? FileManager.default.removeItem(atPath: temporary) }
                if let error = error as? AssayError { throw error }
                throw AssayError(
                    .unavailable, "the store cannot be opened; choose another --backend or --directory",
                    at: AssayError.Location(folder), cause: (error as? StorageError)?.description ?? "\(error)")
            }
        }

        private func selectedPolicy() throws(AssayError) -> PolicySelection {
            let selected = try Selection.policies([policy])
            guard selected.count == 1, !selected[0].entry.isBound, !selected[0].entry.needsFuture,
                !selected[0].entry.descriptor.isUnbounded, selected[0].entry.isApplicable(to: .bytes)
            else {
                throw AssayError(
                    .usage, "'\(policy)' is not one policy that can drive a cache of bytes. See 'assay list policies'.")
            }
            return selected[0]
        }

        private func selectedBackend() throws(AssayError) -> BackendSelection {
            let name = backend ?? (directory == nil ? "dictionary" : "file")
            let selected = try Selection.backends([name])
            guard selected.count == 1, !selected[0].entry.descriptor.needsOwnProcess else {
                throw AssayError(
                    .usage, "'\(name)' is not one backend that a server can rely on. See 'assay list backends'.")
            }
            return selected[0]
        }

        private func bytes() throws(AssayError) -> Int? {
            guard let capacity else { return nil }
            guard case .absolute(let absolute) = try CapacityRequest(parsing: capacity), absolute.unit == .bytes else {
                throw AssayError(
                    .usage, "'\(capacity)' is no number of bytes; write 500MiB.", at: AssayError.Location("--capacity"))
            }
            return absolute.amount
        }
    }
#endif
