package import CEmbeddedFiles

extension EmbeddedFile {
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: size) }
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
