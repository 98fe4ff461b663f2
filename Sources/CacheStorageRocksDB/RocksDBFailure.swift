#if RocksDB
    import CacheCore

    /// Turns RocksDB's messages, which begin with the kind of failure, into what they mean to the owner of a store.
    enum RocksDBFailure {
        /// The typed error for a message; failures to open are about the place.
        static func error(_ words: String, isOpening: Bool) -> StoreError {
            if words.contains("No space left") || words.contains("quota exceeded")
                || words.contains("Space limit reached")
            {
                return StoreError(.full, "no space for the database: \(words); free some")
            }
            if words.hasPrefix("Corruption") {
                return StoreError(.corrupt, "the database is damaged: \(words); move it elsewhere to start afresh")
            }
            if isOpening, words.hasPrefix("Invalid argument") || words.hasPrefix("Not implemented") {
                return StoreError(
                    .corrupt,
                    "the directory holds no database that RocksDB takes: \(words); use another directory, or move it")
            }
            if isOpening, words.contains("No such file or directory") {
                return StoreError(
                    .corrupt, "the database is damaged, a file is missing: \(words); move it elsewhere to start afresh")
            }
            if isOpening || words.contains("Permission denied") {
                return StoreError(.unavailable, "the database cannot be used: \(words); check the directory")
            }
            return StoreError(.inputOutput, "RocksDB failed: \(words)")
        }
    }
#endif
