internal import CacheCore

/// Lends an array's bytes to a body with typed throws, which the standard library's own form does not keep.
func withBytes<Element: BitwiseCopyable>(
    _ elements: [Element], _ body: (UnsafeRawBufferPointer) throws(AssayError) -> Void
) throws(AssayError) {
    let result: Result<Void, AssayError> = elements.withUnsafeBytes { pointer in
        do throws(AssayError) { return .success(try body(pointer)) } catch { return .failure(error) }
    }
    try result.get()
}
