#if Packages
    internal import CZip
    internal import CacheCore

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Writes zip archives whose bytes follow from their content alone.
    enum ZipWriter {
        /// A file of an archive.
        struct File {
            var name: String
            var content: PackageItem.Content
        }

        /// Has something written under another name beside `path`, and gives it that name when it is whole.
        static func replace(_ path: String, _ write: (String) throws(AssayError) -> Void) throws(AssayError) {
            let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max)).new"
            let name = FileSystem.characters(temporary)
            do throws(AssayError) {
                try write(temporary)
                do throws(StoreError) {
                    if let descriptor = try FileSystem.openForReading(name) {
                        defer { FileSystem.closeFile(descriptor) }
                        try FileSystem.synchronise(descriptor, path: name)
                    }
                    guard try FileSystem.move(name, to: FileSystem.characters(path)) else {
                        throw StoreError(.unavailable, "its directory is missing")
                    }
                } catch {
                    throw AssayError(
                        .inputOutput, "The package cannot be written. Check the directory and its free space.",
                        at: .init(path), cause: error.message)
                }
            } catch {
                _ = try? FileSystem.delete(name)
                throw error
            }
        }

        /// Writes an archive; files in `storing` are not packed.
        static func write(_ files: [File], storing: Set<String> = [], to path: String) throws(AssayError) {
            var code: Int32 = 0
            guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else {
                throw ZipFailure.error(code, "write the package", at: path, errno: errno)
            }
            do throws(AssayError) {
                for file in files { try add(file, isStored: storing.contains(file.name), archive, path) }
                guard zip_close(archive) == 0 else {
                    throw ZipFailure.error(zip_get_error(archive), "write the package", at: path)
                }
            } catch {
                zip_discard(archive)
                throw error
            }
        }

        private static func add(
            _ file: File, isStored: Bool, _ archive: OpaquePointer, _ path: String
        ) throws(AssayError) {
            guard let source = try source(file.content, archive) else {
                throw ZipFailure.error(zip_get_error(archive), "write '\(file.name)' to the package", at: path)
            }
            let added = zip_file_add(archive, file.name, source, ZIP_FL_ENC_UTF_8)
            guard added >= 0 else {
                zip_source_free(source)
                throw ZipFailure.error(zip_get_error(archive), "write '\(file.name)' to the package", at: path)
            }
            let index = UInt64(added)
            // The first day that the format knows, for all; a regular file that everybody may read.
            guard zip_file_set_dostime(archive, index, 0, 1 << 5 | 1, 0) == 0,
                zip_file_set_external_attributes(archive, index, 0, UInt8(ZIP_OPSYS_UNIX), 0o100644 << 16) == 0,
                zip_set_file_compression(archive, index, isStored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 6) == 0
            else { throw ZipFailure.error(zip_get_error(archive), "write '\(file.name)' to the package", at: path) }
        }

        /// Where libzip reads a content from when the archive is closed.
        private static func source(_ content: PackageItem.Content, _ archive: OpaquePointer) throws(AssayError)
            -> OpaquePointer?
        {
            switch content {
            case .file(let path):
                guard ZipReader.regularFileBytes(path) != nil else {
                    throw AssayError(
                        .inputOutput, "There is no file to pack. Check the path.", at: .init(path))
                }
                return zip_source_file(archive, path, 0, -1)
            case .bytes(let bytes):
                // libzip keeps it until the archive is closed, and frees it then.
                let copy = malloc(max(1, bytes.count))
                bytes.withUnsafeBytes { if let copy, let base = $0.baseAddress { memcpy(copy, base, $0.count) } }
                guard let copy, let source = zip_source_buffer(archive, copy, UInt64(bytes.count), 1) else {
                    free(copy)
                    return nil
                }
                return source
            }
        }
    }
#endif
