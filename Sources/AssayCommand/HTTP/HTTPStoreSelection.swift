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
                valueName: "policy"), completion: .policies)
        var policy = "lru"

        @Option(
            name: [.customLong("backend"), .customLong("storage")],
            help: ArgumentHelp(
                "Where records and short bodies are (default: dictionary; with --directory, file).",
                valueName: "backend"), completion: .backends)
        var backend: String?

        @Option(
            help: ArgumentHelp(
                "Keep what is stored in this directory, for the next time too; no other process may use it.",
                valueName: "dir"))
        var directory: String?

        @Option(help: ArgumentHelp("How much may be stored, as 500MiB.", valueName: "bytes"))
        var capacity = "1GiB"

        @Flag(
            help: ArgumentHelp(
                "Store answers that set cookies too, for everybody (shared profile).",
                discussion: "Only those with an explicit lifetime. Without it they are passed on and never stored."))
        var storeCookies = false

        @OptionGroup var encryption: EncryptionSelection

        /// An open cache, and what must be done when it is closed.
        struct Opened {
            let cache: HTTPCache
            fileprivate let temporary: AbandonedFolders.Held?

            func close() throws {
                try cache.close()
                temporary?.remove()
            }
        }

        /// Opens the cache that the options describe.
        func open(
            profile: HTTPProfile, origin: any HTTPOrigin, _ change: (inout HTTPCacheOptions) -> Void
        ) throws(AssayError) -> Opened {
            let policy = try selectedPolicy()
            let backend = try selectedBackend()
            let name = backend.entry.descriptor.name
            guard directory == nil || !["dictionary", "slab"].contains(name) else {
                throw AssayError(
                    .usage, "\(name) keeps nothing for the next time. Choose file or log, or leave --directory out.",
                    at: .init("--backend"))
            }
            let limit = try Self.bytes(capacity, of: "--capacity")
            let temporary = try directory == nil ? Self.temporary() : nil
            let folder = temporary?.path ?? URL(filePath: directory ?? "").path
            var options = HTTPCacheOptions(HTTPCacheOptions.nameInStore)
            options.profile = profile
            change(&options)
            options.bodyDirectory = folder + "/bodies"
            options.storeBytesMax = limit
            options.storesCookies = storeCookies
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let records = backend.entry.descriptor.needsDirectory ? folder + "/records" : nil
                let storage = try encryption.store(for: &options) { () throws(StoreError) in
                    try backend.entry.open(directory: records, parameters: backend.parameters)
                }
                let cache = try HTTPCache(
                    options, policy: policy.entry, parameters: policy.parameters, storage: storage, origin: origin)
                return Opened(cache: cache, temporary: temporary)
            } catch {
                temporary?.remove()
                if let error = error as? AssayError { throw error }
                throw AssayError(
                    .unavailable, "the store cannot be opened; choose another --backend or --directory",
                    at: AssayError.Location(folder), cause: (error as? StoreError)?.description ?? "\(error)")
            }
        }

        /// A folder that goes with the process, once those of killed ones are gone.
        private static func temporary() throws(AssayError) -> AbandonedFolders.Held {
            AbandonedFolders.clear(prefix)
            do throws(StoreError) { return try AbandonedFolders.hold(prefix) } catch {
                throw AssayError(
                    .unavailable, "There is no place for temporary files. Set TMPDIR, or name a --directory.",
                    at: AssayError.Location(FileSystem.temporaryDirectory), cause: error.message)
            }
        }

        private static let prefix = "assay-http-"

        private func selectedPolicy() throws(AssayError) -> PolicySelection {
            let selected = try Selection.policies([policy])
            guard selected.count == 1, !selected[0].entry.isBound, !selected[0].entry.needsFuture,
                !selected[0].entry.descriptor.isUnbounded, !selected[0].entry.descriptor.learns,
                selected[0].entry.isApplicable(to: .bytes)
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

        /// A number of bytes that an option names.
        static func bytes(_ text: String, of option: String) throws(AssayError) -> Int {
            guard case .absolute(let absolute) = try CapacityRequest(parsing: text), absolute.unit == .bytes else {
                throw AssayError(
                    .usage, "'\(text)' is no number of bytes; write 500MiB.", at: AssayError.Location(option))
            }
            return absolute.amount
        }
    }
#endif
