internal import CacheCore

/// Lends an array's bytes to a body with typed throws, which the standard library's own form does not keep.
func withBytes<Element: BitwiseCopyable, Value>(
    _ elements: [Element], _ body: (UnsafeRawBufferPointer) throws(AssayError) -> Value
) throws(AssayError) -> Value {
    let result: Result<Value, AssayError> = elements.withUnsafeBytes { pointer in
        do throws(AssayError) { return .success(try body(pointer)) } catch { return .failure(error) }
    }
    return try result.get()
}
