#if LightGBM
    internal import CacheCore

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// The functions of LightGBM's C library that policies call, opened once a process.
    ///
    /// Names, parameters and numbers are those of `LightGBM/c_api.h`, release 4; the wheel of LightGBM on PyPI has the library without that
    /// header. Each function returns 0, or -1 after a failure, of which ``lastError()`` tells.
    struct LightGBMLibrary: Sendable {
        /// A data set or a model.
        typealias Handle = UnsafeMutableRawPointer

        /// `LGBM_DatasetCreateFromCSR`: row starts and their type, columns, values and their type, numbers of row starts, values and
        /// columns, parameters, a data set with the same bins or none, the result.
        let createDataset:
            @convention(c) (
                UnsafeRawPointer?, Int32, UnsafePointer<Int32>?, UnsafeRawPointer?, Int32, Int64, Int64, Int64,
                UnsafePointer<CChar>?, Handle?, UnsafeMutablePointer<Handle?>?
            ) -> Int32
        /// `LGBM_DatasetSetField`: a data set, the name of a field, its values, their number and type.
        let setField: @convention(c) (Handle?, UnsafePointer<CChar>?, UnsafeRawPointer?, Int32, Int32) -> Int32
        /// `LGBM_DatasetFree`.
        let freeDataset: @convention(c) (Handle?) -> Int32
        /// `LGBM_BoosterCreate`: a data set, parameters, the result.
        let createBooster: @convention(c) (Handle?, UnsafePointer<CChar>?, UnsafeMutablePointer<Handle?>?) -> Int32
        /// `LGBM_BoosterUpdateOneIter`: a model, and whether no tree can be added any more.
        let addTree: @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> Int32
        /// `LGBM_BoosterPredictForCSR`: a model, rows as above, the kind of prediction, the first tree, the number of trees, parameters, the
        /// number of results, the results.
        let predictRows:
            @convention(c) (
                Handle?, UnsafeRawPointer?, Int32, UnsafePointer<Int32>?, UnsafeRawPointer?, Int32, Int64, Int64, Int64,
                Int32, Int32, Int32, UnsafePointer<CChar>?, UnsafeMutablePointer<Int64>?, UnsafeMutablePointer<Double>?
            ) -> Int32
        /// `LGBM_BoosterFree`.
        let freeBooster: @convention(c) (Handle?) -> Int32
        private let errorText: @convention(c) () -> UnsafePointer<CChar>?

        /// `C_API_DTYPE_FLOAT32`, `C_API_DTYPE_FLOAT64` and `C_API_DTYPE_INT32`.
        static let (float32, float64, int32): (Int32, Int32, Int32) = (0, 1, 2)

        /// The variable that names the library's file.
        static let variable = "ASSAY_LIGHTGBM"

        private static let opened = Result<LightGBMLibrary, AssayError> { () throws(AssayError) in
            try LightGBMLibrary(path: getenv(variable).map { String(cString: $0) })
        }

        /// The library that the environment names, else the one that the system's loader finds.
        ///
        /// - Throws: `AssayError` with code `unavailable` that says where it was looked for and how to get it.
        static func shared() throws(AssayError) -> LightGBMLibrary { try opened.get() }

        /// Opens a library by its path; without one, under its name where the system's loader looks.
        init(path: String?) throws(AssayError) {
            let named = path.flatMap { $0.isEmpty ? nil : $0 }
            let name = named ?? "lib_lightgbm.so"
            let place =
                named == nil ? "where the system's loader looks for \(name)" : "at \(name), as \(Self.variable) says"
            guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                throw AssayError(
                    .unavailable,
                    "LightGBM's library cannot be opened \(place). Get it by 'pip download --no-deps lightgbm', unpack "
                        + "lightgbm/lib/lib_lightgbm.so from that wheel, and name its path in \(Self.variable). It needs "
                        + "libgomp.so.1 (Debian: libgomp1). scripts/run --with lightgbm does all of this.",
                    cause: dlerror().map { String(cString: $0) })
            }
            func function<Function>(_ name: String, _: Function.Type = Function.self) throws(AssayError) -> Function {
                guard let symbol = dlsym(library, name) else {
                    throw AssayError(
                        .unavailable,
                        "The library \(place) has no function '\(name)', so it is not LightGBM's of release 4. Name that one in "
                            + "\(Self.variable).")
                }
                return unsafeBitCast(symbol, to: Function.self)
            }
            // Older releases have the functions below too, with other parameters.
            _ = try function("LGBM_ByteBufferGetAt", UnsafeRawPointer.self)
            createDataset = try function("LGBM_DatasetCreateFromCSR")
            setField = try function("LGBM_DatasetSetField")
            freeDataset = try function("LGBM_DatasetFree")
            createBooster = try function("LGBM_BoosterCreate")
            addTree = try function("LGBM_BoosterUpdateOneIter")
            predictRows = try function("LGBM_BoosterPredictForCSR")
            freeBooster = try function("LGBM_BoosterFree")
            errorText = try function("LGBM_GetLastError")
        }

        /// What LightGBM says of the last failure in this thread.
        func lastError() -> String { errorText().map { String(cString: $0) } ?? "no reason given" }
    }
#endif
