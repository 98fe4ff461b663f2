#if LMDB
    import CLMDB
    import CacheCore

    /// Checksums of the pages of a closed database, which LMDB 0.9 has none of.
    ///
    /// Closing writes them to a file of their own, and opening compares them before LMDB trusts a page. Where some differ, the entries
    /// that sound pages lead to are copied to a new database. Without that file, as after a kill, the pages are trusted.
    ///
    /// The file, little-endian, in words of 8 bytes: a mark, the bytes of a page, the number of the last transaction, a checksum for each
    /// page, and a checksum of everything before. The layout of pages is that of `mdb.c` in LMDB 0.9.
    struct LMDBPages {
        private static let mark: UInt64 = 0x3153_4547_4150_4C41
        private static let wordsBeforePages = 3
        /// No tree of LMDB is deeper.
        private static let depthMax = 32

        private let pageBytes: Int
        private let lastTransaction: Int
        private let sums: [UInt64]
        private let file: Int32
        private let path: [CChar]

        private static func place(_ directory: String) -> [CChar] { FileSystem.characters(directory + "/data.sums") }
        private static func data(_ directory: String) -> [CChar] { FileSystem.characters(directory + "/data.mdb") }

        // MARK: Closing

        /// Writes the checksums of a database that is on the device.
        static func write(_ directory: String, pageBytes: Int, pages: Int, lastTransaction: Int) throws(StoreError) {
            guard let file = try FileSystem.openForReading(data(directory)) else { return }
            defer { FileSystem.closeFile(file) }
            var words = [mark, UInt64(pageBytes), UInt64(lastTransaction)]
            for number in 0..<pages {
                words.append(sum(try bytes(file, data(directory), at: number * pageBytes, count: pageBytes)))
            }
            words.append(sum(bytes(of: words)))
            let new = FileSystem.characters(directory + "/data.sums.new")
            guard let made = try FileSystem.create(new) else { return }
            do throws(StoreError) {
                try FileSystem.write(made, bytes(of: words), [], path: new)
                try FileSystem.synchronise(made, path: new)
            } catch {
                FileSystem.closeFile(made)
                throw error
            }
            try FileSystem.closeWritten(made, path: new)
            _ = try FileSystem.move(new, to: place(directory))
        }

        private static func bytes(of words: [UInt64]) -> [UInt8] {
            words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        }

        private static func sum(_ bytes: [UInt8]) -> UInt64 { bytes.withRawBytes { Checksum64.checksum(of: $0) } }

        /// What a file has there; fewer bytes at its end.
        private static func bytes(
            _ file: Int32, _ path: [CChar], at offset: Int, count: Int
        ) throws(StoreError) -> [UInt8] {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
            defer { buffer.deallocate() }
            let count = try FileSystem.read(file, at: offset, into: buffer, path: path)
            return Array(buffer.prefix(count))
        }

        // MARK: Opening

        /// Compares the pages of a database with their checksums, before LMDB opens it. There are none from then on, until it is closed.
        static func verify(_ directory: String, mapBytes: Int) throws(StoreError) {
            let place = place(directory)
            guard FileSystem.exists(place) else { return }
            if let pages = try LMDBPages(directory) {
                defer { FileSystem.closeFile(pages.file) }
                if try !pages.areAllSound() { try pages.rescue(directory, mapBytes: mapBytes) }
            }
            _ = try FileSystem.delete(place)
            try FileSystem.synchroniseDirectory(FileSystem.characters(directory))
        }

        /// Nil if there are no sound checksums, or no database.
        private init?(_ directory: String) throws(StoreError) {
            let place = Self.place(directory)
            guard let sumsFile = try FileSystem.openForReading(place) else { return nil }
            defer { FileSystem.closeFile(sumsFile) }
            let size = try FileSystem.size(sumsFile, path: place)
            guard size % 8 == 0, size >= 8 * (Self.wordsBeforePages + 1), size <= 1 << 32 else { return nil }
            let words = try Self.bytes(sumsFile, place, at: 0, count: size).words
            guard words.count == size / 8, words.last == Self.sum(Self.bytes(of: words.dropLast())),
                words[0] == Self.mark,
                (512...65_536).contains(words[1])
            else { return nil }
            path = Self.data(directory)
            guard let file = try FileSystem.openForReading(path) else { return nil }
            self.file = file
            pageBytes = Int(words[1])
            lastTransaction = Int(clamping: words[2])
            sums = Array(words[Self.wordsBeforePages...].dropLast())
        }

        /// A page as it was written; nil if it is damaged or there is none.
        private func page(_ number: Int) throws(StoreError) -> [UInt8]? {
            guard sums.indices.contains(number) else { return nil }
            let bytes = try Self.bytes(file, path, at: number * pageBytes, count: pageBytes)
            return bytes.count == pageBytes && Self.sum(bytes) == sums[number] ? bytes : nil
        }

        private func areAllSound() throws(StoreError) -> Bool {
            for number in sums.indices where try page(number) == nil { return false }
            return true
        }

        // MARK: Rescuing

        /// Puts a new database with the entries that are left in the place of the damaged one.
        private func rescue(_ directory: String, mapBytes: Int) throws(StoreError) {
            let name = directory + "/data.mdb.new"
            _ = try FileSystem.delete(FileSystem.characters(name))
            try fill(name, mapBytes: mapBytes)
            _ = try FileSystem.move(FileSystem.characters(name), to: Self.data(directory))
        }

        private func fill(_ name: String, mapBytes: Int) throws(StoreError) {
            var environment: OpaquePointer?
            try LMDBFailure.check(mdb_env_create(&environment))
            defer { mdb_env_close(environment) }
            // The tree may be packed less densely than the old one.
            try LMDBFailure.check(mdb_env_set_mapsize(environment, mapBytes + max(4 << 20, mapBytes / 2)))
            let flags = UInt32(MDB_NOLOCK | MDB_NOSUBDIR)
            try LMDBFailure.check(mdb_env_open(environment, name, flags, 0o600))
            var transaction: OpaquePointer?
            try LMDBFailure.check(mdb_txn_begin(environment, nil, 0, &transaction))
            do throws(StoreError) {
                var database: MDB_dbi = 0
                try LMDBFailure.check(mdb_dbi_open(transaction, nil, 0, &database))
                if let root = try root() {
                    try walk(root, depth: 0) { (key, value) throws(StoreError) in
                        try LMDBTable.Transaction(handle: transaction!, database: database).put(key, value)
                    }
                }
            } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            try LMDBFailure.check(mdb_txn_commit(transaction))
            try LMDBFailure.check(mdb_env_sync(environment, 1))
        }

        /// The root of the tree after the last transaction; nil if the page that names it is damaged, or the tree is empty.
        private func root() throws(StoreError) -> Int? {
            for number in 0..<2 {
                if let page = try page(number), page.number(144, 8) == lastTransaction { return page.number(128, 8) }
            }
            return nil
        }

        private func walk(
            _ number: Int, depth: Int, _ body: ([UInt8], [UInt8]) throws(StoreError) -> Void
        ) throws(StoreError) {
            guard depth < Self.depthMax, let page = try page(number), let kind = page.number(10, 2),
                let end = page.number(12, 2)
            else { return }
            for pointer in stride(from: 16, to: end, by: 2) {
                guard let node = page.number(pointer, 2), let low = page.number(node, 4),
                    let flags = page.number(node + 4, 2), let keyBytes = page.number(node + 6, 2)
                else { continue }
                if kind & 1 != 0 {
                    try walk(low | flags << 32, depth: depth + 1, body)
                } else if let key = page.piece(node + 8, keyBytes), !key.isEmpty,
                    let value = try value(page, node + 8 + keyBytes, low, isLong: flags & 1 != 0),
                    value.withRawBytes({ ValueEnvelope.entry(in: $0, key: key) }) != nil
                {
                    try body(key, value)
                }
            }
        }

        /// The bytes of a value, which has pages of its own if it is long.
        private func value(_ page: [UInt8], _ offset: Int, _ count: Int, isLong: Bool) throws(StoreError) -> [UInt8]? {
            guard isLong else { return page.piece(offset, count) }
            guard let first = page.number(offset, 8) else { return nil }
            let last = first + (16 + count - 1) / pageBytes
            guard first >= 0, last < sums.count else { return nil }
            var bytes: [UInt8] = []
            for number in first...last {
                guard let page = try self.page(number) else { return nil }
                bytes += page
            }
            return bytes.piece(16, count)
        }
    }

    extension [UInt8] {
        /// The words of 8 bytes in it, little-endian.
        fileprivate var words: [UInt64] {
            stride(from: 0, to: count - 7, by: 8).map { offset in
                self[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
        }

        /// The number in up to 8 bytes, little-endian; nil if it is not there or too large.
        fileprivate func number(_ offset: Int, _ bytes: Int) -> Int? {
            guard let piece = piece(offset, bytes) else { return nil }
            return Int(exactly: piece.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }

        fileprivate func piece(_ offset: Int, _ count: Int) -> [UInt8]? {
            guard offset >= 0, count >= 0, count <= self.count - offset else { return nil }
            return Array(self[offset..<offset + count])
        }
    }
#endif
