internal import CacheCore

/// The elements of a column that wait to be written together.
struct ColumnBlock<Element: BitwiseCopyable>: ~Copyable {
    private static var capacity: Int { 1 << 16 }

    private let buffer = UnsafeMutablePointer<Element>.allocate(capacity: Self.capacity)
    private var count = 0

    deinit { buffer.deallocate() }

    /// Whether there is no room for another element.
    @inline(__always)
    var isFull: Bool { count == Self.capacity }

    /// Appends an element, for which there is room.
    @inline(__always)
    mutating func append(_ element: Element) {
        (buffer + count).initialize(to: element)
        count &+= 1
    }

    /// Hands over the elements that wait, and forgets them.
    mutating func flush(_ write: (UnsafeRawBufferPointer) throws(AssayError) -> Void) throws(AssayError) {
        try write(UnsafeRawBufferPointer(start: buffer, count: count * MemoryLayout<Element>.stride))
        count = 0
    }
}

/// Keeps a column in a file of its own until its place in the compiled trace is known.
struct ColumnWriter<Element: BitwiseCopyable>: ~Copyable {
    private let path: String
    private var file: PosixFile?
    private var block = ColumnBlock<Element>()

    /// A column that makes a file of its own without a name when its first block is full.
    init(temporary path: String) { self.path = path }

    /// Appends an element.
    @inline(__always)
    mutating func append(_ element: Element) throws(AssayError) {
        if block.isFull { try flush() }
        block.append(element)
    }

    private mutating func flush() throws(AssayError) {
        if file == nil {
            file = try PosixFile(creating: path)
            // Without a name it vanishes with this process, however that ends.
            FileTree.remove(path)
        }
        try block.flush { (bytes) throws(AssayError) in try file?.write(bytes) }
    }

    /// Copies the whole column to the end of another file.
    mutating func move(to target: inout CompiledFileWriter) throws(AssayError) {
        if let file = file.take() {
            try file.seek(to: 0)
            let copied = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
            defer { copied.deallocate() }
            while true {
                let read = try file.read(into: copied)
                if read == 0 { break }
                try target.write(UnsafeRawBufferPointer(rebasing: copied[..<read]))
            }
        }
        try block.flush { (bytes) throws(AssayError) in try target.write(bytes) }
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

extension DeferredColumn where Element: FixedWidthInteger {
    /// Counts elements that all equal the column's; false, and nothing has happened, where that is not so or an element is the
    /// largest one, which means something else in some columns.
    mutating func countIfEqual<Value: FixedWidthInteger>(_ elements: UnsafeBufferPointer<Value>) -> Bool {
        guard !isVaried, let first, first != .max, let sought = Value(exactly: first) else { return false }
        // Without a branch for each, so that several are compared at once.
        guard elements.reduce(0, { $0 | ($1 ^ sought) }) == 0 else { return false }
        count += elements.count
        return true
    }
}
