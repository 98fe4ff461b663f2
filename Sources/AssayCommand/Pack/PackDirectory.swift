#if Packages
    import CacheCore
    import CacheHarness
    import CacheSystems
    import Foundation

    /// A directory with a cache in it, as packages are imported into.
    enum PackDirectory {
        /// Opens the cache of a directory, which is made if it is missing, and closes it afterwards.
        static func withCache<Result>(
            in directory: String, _ encryption: EncryptionSelection, _ body: (HTTPCache) throws -> Result
        ) throws -> Result {
            do {
                let lru = try Selection.policies(["lru"])[0].entry
                let file = try Selection.backends(["file"])[0].entry
                var options = HTTPCacheOptions(HTTPCacheOptions.nameInStore)
                options.bodyDirectory = directory + "/bodies"
                let store = try encryption.store(for: &options) { () throws(StoreError) in
                    try file.open(directory: directory + "/records")
                }
                let cache = try HTTPCache(options, policy: lru, storage: store, origin: NoOrigin())
                let result = try body(cache)
                try cache.close()
                return result
            } catch let error as StoreError {
                let code: AssayError.Code =
                    switch error.code {
                    case .unavailable: .unavailable
                    case .corrupt: .badInput
                    default: .inputOutput
                    }
                throw AssayError(code, error.message, at: .init(directory))
            }
        }

        /// The name of a package, if none is given.
        static func name(of path: String) -> String { URL(filePath: path).deletingPathExtension().lastPathComponent }

        /// Nobody is asked while packages are imported.
        private struct NoOrigin: HTTPOrigin {
            func respond(to request: HTTPRequest) async throws -> HTTPResponse {
                throw AssayError(.unavailable, "This cache has no origin.")
            }
        }
    }
#endif
