#if HTTP || Packages
    import ArgumentParser
    import CacheCore
    import CacheSystems

    #if Encryption
        import CacheEncryption
    #endif

    extension HTTPCacheOptions {
        /// What a cache of web resources is called in its store: one name, so that packages are imported into the cache that is served.
        static let nameInStore = "http"
    }

    /// The option of commands that keep web resources in a directory: the key under which they lie there.
    struct EncryptionSelection: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Encrypt what is stored, under the key in this file of 32 bytes: 'head -c 32 /dev/urandom > FILE' makes one.",
                valueName: "file"), completion: .file())
        var keyFile: String?

        func validate() throws {
            if keyFile != nil, !Part.encryption.isBuilt { throw Part.encryption.missing("--key-file") }
        }

        /// Opens the store of a cache, and has it encrypted, bodies too, if that is wanted.
        func store(
            for options: inout HTTPCacheOptions, _ open: () throws(StoreError) -> any StorageBackend
        ) throws(StoreError) -> any StorageBackend {
            #if Encryption
                if let keyFile {
                    let key = try EncryptionKey(contentsOf: keyFile)
                    options.bodySealing = SealedBodies(key)
                    let lower = try open()
                    do throws(StoreError) { return try SealedStorage(over: lower, key) } catch {
                        try? lower.close()
                        throw error
                    }
                }
            #endif
            return try open()
        }
    }
#endif
