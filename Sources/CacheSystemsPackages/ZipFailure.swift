#if Packages
    import CZip
    import CacheCore

    /// Turns the result codes of libzip into errors that say what to do.
    enum ZipFailure {
        /// The error for a result code; `errno` is what the system said, if it was asked.
        static func error(_ code: Int32, _ action: String, at place: String, errno: Int32 = 0) -> AssayError {
            var failure = zip_error_t()
            zip_error_init_with_code(&failure, code)
            defer { zip_error_fini(&failure) }
            if zip_error_system_type(&failure) == ZIP_ET_SYS, errno != 0 { zip_error_set(&failure, code, errno) }
            let words = String(cString: zip_error_strerror(&failure))
            let location = AssayError.Location(place)
            switch code {
            case ZIP_ER_NOENT, ZIP_ER_OPEN:
                return AssayError(
                    .inputOutput, "Cannot \(action). Check the path and its permissions.", at: location, cause: words)
            case ZIP_ER_NOZIP, ZIP_ER_INCONS, ZIP_ER_CRC, ZIP_ER_EOF, ZIP_ER_ZLIB, ZIP_ER_COMPRESSED_DATA,
                ZIP_ER_MULTIDISK:
                return AssayError(
                    .badInput, "Cannot \(action): it is damaged, or no whole zip archive. Get it or build it anew.",
                    at: location, cause: words)
            case ZIP_ER_EXISTS:
                return AssayError(.badInput, "There are two files of one name. Build the package anew.", at: location)
            default: return AssayError(.inputOutput, "Cannot \(action).", at: location, cause: words)
            }
        }

        /// The error that an archive, or a file in one, remembers.
        static func error(_ failure: UnsafeMutablePointer<zip_error_t>, _ action: String, at place: String)
            -> AssayError
        {
            error(zip_error_code_zip(failure), action, at: place, errno: zip_error_code_system(failure))
        }
    }
#endif
