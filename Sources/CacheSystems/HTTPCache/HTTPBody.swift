/// The content of a message, in pieces that come one after the other.
///
/// Nothing is held but the piece that was given last. A body that a cache gives can be read several times if it is stored, and once if
/// it comes from the network.
public struct HTTPBody: AsyncSequence, Sendable {
    /// A piece of the content.
    public typealias Element = [UInt8]
    typealias Step = @Sendable () async throws -> [UInt8]?

    /// Gives the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let step: Step

        /// The next piece; nil at the end.
        ///
        /// - Throws: what its source throws; an ``HTTPCacheError`` for a body that did not come whole.
        public mutating func next() async throws -> [UInt8]? { try await step() }
    }

    /// How many bytes it has, where that is known before it is read.
    public let length: Int?
    private let start: @Sendable () -> Step

    /// A body that is there.
    public init(_ bytes: [UInt8] = []) {
        self.init(length: bytes.count) {
            let rest = OneTime(bytes)
            return { rest.take() }
        }
    }

    /// The UTF-8 bytes of a text.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// A body whose pieces come from a sequence.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int? = nil)
    where Chunks.Element == [UInt8] {
        self.init(length: length) {
            let source = ChunkSource(chunks.makeAsyncIterator())
            return { try await source.next() }
        }
    }

    init(length: Int?, _ start: @escaping @Sendable () -> Step) {
        self.length = length
        self.start = start
    }

    /// Begins to read it.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(step: start()) }

    /// The whole content.
    ///
    /// - Throws: ``HTTPCacheError/tooLong(bytesMax:)`` for one that is longer than that, and what reading throws.
    public func bytes(upTo bytesMax: Int = 64 << 20) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await chunk in self {
            guard all.count + chunk.count <= bytesMax else { throw HTTPCacheError.tooLong(bytesMax: bytesMax) }
            all += chunk
        }
        return all
    }
}

/// The iterator of a sequence, which one reader uses, one call after the other.
private final class ChunkSource<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element == [UInt8] {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async throws -> [UInt8]? { try await iterator.next() }
}
