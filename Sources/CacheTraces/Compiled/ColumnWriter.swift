internal import CacheCore

/// Writes a column of equal elements to a file, block by block.
struct ColumnWriter<Element: BitwiseCopyable>: ~Copyable {
    private static var blockCount: Int { 1 << 16 }

    private let path: String
    private var file: PosixFile?
    private let buffer: UnsafeMutablePointer<Element>
    private var buffered = 0
    private var written = 0

    /// A column that makes a file of its own without a name when its first block is full.
    init(temporary path: String) {
        self.path = path
        buffer = .allocate(capacity: Self.blockCount)
    }

    deinit { buffer.deallocate() }

    /// The number of elements appended.
    var count: Int { written + buffered }

    /// Appends an element.
    @inline(__always)
    mutating func append(_ element: Element) throws(AssayError) {
        if buffered == Self.blockCount { try flush() }
        (buffer + buffered).initialize(to: element)
        buffered &+= 1
    }

    /// Room for `count` elements, at most a block; ``commit(_:)`` appends what was put there.
    @inline(__always)
    mutating func reserve(_ count: Int) throws(AssayError) -> UnsafeMutablePointer<Element> {
        if buffered &+ count > Self.blockCount { try flush() }
        return buffer + buffered
    }

    /// Appends the first `count` elements of the room that was reserved.
    @inline(__always)
    mutating func commit(_ count: Int) { buffered &+= count }

    private mutating func flush() throws(AssayError) {
        if file == nil {
            file = try PosixFile(creating: path)
            // Without a name it vanishes with this process, however that ends.
            FileTree.remove(path)
        }
        try file?.write(UnsafeRawBufferPointer(start: buffer, count: buffered * MemoryLayout<Element>.stride))
        written += buffered
        buffered = 0
    }

    /// Copies the whole column to the end of another file.
    mutating func move(to target: inout CompiledFileWriter) throws(AssayError) {
        if written > 0, let file = file.take() {
            try file.seek(to: 0)
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
            defer { block.deallocate() }
            while true {
                let read = try file.read(into: block)
                if read == 0 { break }
                try target.write(UnsafeRawBufferPointer(rebasing: block[..<read]))
            }
        }
        try target.write(UnsafeRawBufferPointer(start: buffer, count: buffered * MemoryLayout<Element>.stride))
    }
}

/// A column that costs nothing while every element equals the first.
struct DeferredColumn<Element: BitwiseCopyable & Equatable>: ~Copyable {
    private var writer: ColumnWriter<Element>
    private(set) var first: Element?
    /// The number of elements appended.
    private(set) var count = 0
    /// Whether two elements differ, so that the column must be kept.
    private(set) var isVaried = false

    init(temporary path: String) { writer = ColumnWriter(temporary: path) }

    /// Appends an element.
    @inline(__always)
    mutating func append(_ element: Element) throws(AssayError) {
        if isVaried || element != first { try appendDifferent(element) }
        count &+= 1
    }

    @inline(__always)
    private mutating func appendDifferent(_ element: Element) throws(AssayError) {
        if !isVaried, try isFirst(element) { return }
        try writer.append(element)
    }

    @inline(never)
    private mutating func isFirst(_ element: Element) throws(AssayError) -> Bool {
        guard let first else {
            self.first = element
            return true
        }
        for _ in 0..<count { try writer.append(first) }
        isVaried = true
        return false
    }

    /// Copies the column to the end of another file.
    mutating func move(to target: inout CompiledFileWriter) throws(AssayError) {
        if !isVaried, let first {
            for _ in 0..<count { try writer.append(first) }
        }
        try writer.move(to: &target)
    }
}
