#if Packages
    import CZip
    import CacheCore

    /// A zip archive that is read: what its directory says, and the content of its files as a stream.
    ///
    /// Nothing is ever written under the names in it.
    final class ZipReader {
        /// What the directory says of a file.
        struct File {
            let index: UInt64
            /// In UTF-8, whatever it is in the archive. libzip puts a space in the place of a zero.
            let name: String
            let bytes: Int
            let packedBytes: Int
            let method: Int32
            let isEncrypted: Bool
            /// The type of the file by Unix' numbers, 0 where the archive does not say.
            let unixType: UInt32

            var isDirectory: Bool { name.hasSuffix("/") }
        }

        let path: String
        /// The bytes of the whole archive.
        let archiveBytes: Int
        private let archive: OpaquePointer

        /// Opens an archive, and compares its directory with what is before each file.
        init(_ path: String) throws(AssayError) {
            self.path = path
            var code: Int32 = 0
            // A directory or a pipe would be waited for, or read to no end.
            guard let bytes = Self.regularFileBytes(path) else {
                throw AssayError(
                    .inputOutput, "The package cannot be opened. Check that there is a file and that it may be read.",
                    at: .init(path))
            }
            guard let archive = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code) else {
                throw ZipFailure.error(code, "open the package", at: path)
            }
            archiveBytes = bytes
            self.archive = archive
        }

        deinit { zip_discard(archive) }

        /// How many files the directory names.
        var count: Int { max(0, Int(clamping: zip_get_num_entries(archive, 0))) }

        /// Every file, in the order of the directory.
        func files() throws(AssayError) -> [File] {
            var files: [File] = []
            files.reserveCapacity(count)
            for index in 0..<UInt64(count) { files.append(try file(index)) }
            return files
        }

        private func file(_ index: UInt64) throws(AssayError) -> File {
            var status = zip_stat_t()
            zip_stat_init(&status)
            let needed = UInt64(
                ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD)
            guard zip_stat_index(archive, index, 0, &status) == 0, status.valid & needed == needed,
                let name = zip_get_name(archive, index, 0), let bytes = Int(exactly: status.size),
                let packedBytes = Int(exactly: status.comp_size)
            else { throw ZipFailure.error(zip_get_error(archive), "read the directory of the package", at: path) }
            var system: UInt8 = 0
            var attributes: UInt32 = 0
            guard zip_file_get_external_attributes(archive, index, 0, &system, &attributes) == 0 else {
                throw ZipFailure.error(zip_get_error(archive), "read the directory of the package", at: path)
            }
            let isUnix = system == UInt8(ZIP_OPSYS_UNIX) || system == UInt8(ZIP_OPSYS_OS_X)
            return File(
                index: index, name: String(cString: name), bytes: bytes, packedBytes: packedBytes,
                method: Int32(status.comp_method), isEncrypted: status.encryption_method != UInt16(ZIP_EM_NONE),
                unixType: isUnix ? attributes >> 16 & 0o170000 : 0)
        }

        /// The content of a file, unpacked while it is read.
        func stream(_ file: File) throws(AssayError) -> ZipStream {
            guard let handle = zip_fopen_index(archive, file.index, 0) else {
                throw ZipFailure.error(zip_get_error(archive), "read '\(file.name)' in the package", at: path)
            }
            return ZipStream(handle, file, archive: self)
        }

        /// A whole file, of at most `bytesMax` bytes.
        func content(_ file: File, bytesMax: Int) throws(AssayError) -> [UInt8] {
            guard file.bytes <= bytesMax else {
                throw AssayError(
                    .badInput,
                    "'\(file.name)' has \(file.bytes) bytes, and \(bytesMax) are allowed. Raise the limit if you trust the package.",
                    at: .init(path))
            }
            let stream = try stream(file)
            var content: [UInt8] = []
            while let piece = try stream.next() { content += piece }
            return content
        }
    }

    /// The content of one file of an archive, in pieces of at most 64 KiB. It is what its directory says when the end has been reached:
    /// libzip compares the checksum there.
    final class ZipStream {
        private let handle: OpaquePointer
        private let file: ZipReader.File
        /// Held, since its end would be that of the stream.
        private let archive: ZipReader
        private var given = 0

        fileprivate init(_ handle: OpaquePointer, _ file: ZipReader.File, archive: ZipReader) {
            self.handle = handle
            self.file = file
            self.archive = archive
        }

        deinit { zip_fclose(handle) }

        /// The next piece; nil at the end.
        ///
        /// - Throws: `badInput` for a content that is damaged, or not as long as the directory says.
        func next() throws(AssayError) -> [UInt8]? {
            var count: Int64 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
                count = zip_fread(handle, buffer.baseAddress, UInt64(buffer.count))
                filled = max(0, Int(count))
            }
            guard count >= 0 else {
                throw ZipFailure.error(
                    zip_file_get_error(handle), "read '\(file.name)' in the package", at: archive.path)
            }
            given += piece.count
            guard given <= file.bytes, count > 0 || given == file.bytes else {
                throw AssayError(
                    .badInput,
                    "'\(file.name)' is not as long as the directory of the package says, \(file.bytes) bytes. Get the package anew, and do not trust it.",
                    at: .init(archive.path))
            }
            return piece.isEmpty ? nil : piece
        }
    }
#endif
