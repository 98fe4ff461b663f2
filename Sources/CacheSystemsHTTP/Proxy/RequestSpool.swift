#if HTTP
    internal import CacheCore
    internal import CacheEngine
    internal import CacheSystems
    internal import Foundation
    internal import Synchronization

    /// The bytes that the contents of all requests may have in files.
    final class ContentRoom: Sendable {
        private let shares: Mutex<ClientShares>

        init(_ most: Int) { shares = Mutex(ClientShares(most)) }

        fileprivate func take(_ bytes: Int, for client: String?) -> Bool {
            shares.withLock { $0.take(bytes, for: client) }
        }

        fileprivate func give(_ bytes: Int, of client: String?) { shares.withLock { $0.give(bytes, of: client) } }
    }

    /// Reads the content of a request to its end before anybody is asked for an answer: in memory, or in a file without a name where it is long.
    enum RequestSpool {
        /// Why a content is not taken.
        enum Failure: Error {
            case tooLong
            case noRoom
        }

        /// The longest content that is kept in memory, and the length of pieces that are read of a file.
        static let inMemoryMax = 64 << 10

        /// A content in a file, which goes with the last who holds it.
        private final class File: Sendable {
            private let descriptor: Int32
            private let path: [CChar]
            private let room: ContentRoom
            private let client: String?
            private let taken = Mutex(0)

            init(_ room: ContentRoom, _ client: String?) throws(StoreError) {
                self.room = room
                self.client = client
                path = FileSystem.characters("\(FileSystem.temporaryDirectory)/assay-content-\(UUID().uuidString)")
                descriptor = try FileSystem.openForUpdating(path)
                _ = try? FileSystem.delete(path)
            }

            deinit {
                FileSystem.closeFile(descriptor)
                room.give(taken.withLock { $0 }, of: client)
            }

            func write(_ bytes: [UInt8], at offset: Int) throws {
                guard room.take(bytes.count, for: client) else { throw Failure.noRoom }
                taken.withLock { $0 += bytes.count }
                let outcome = bytes.withUnsafeBytes { buffer in
                    Result { () throws(StoreError) in
                        try FileSystem.write(descriptor, at: offset, buffer, path: path)
                    }
                }
                try outcome.get()
            }

            func read(at offset: Int, count: Int) throws -> [UInt8] {
                var failure: StoreError?
                let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                    do throws(StoreError) {
                        filled = try FileSystem.read(
                            descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer), path: path)
                    } catch { failure = error }
                }
                if let failure { throw failure }
                return bytes
            }
        }

        /// The pieces of a content in a file.
        private struct Pieces: AsyncSequence, Sendable {
            struct AsyncIterator: AsyncIteratorProtocol {
                let pieces: Pieces
                var offset = 0

                mutating func next() async throws -> [UInt8]? {
                    let (file, offset) = (pieces.file, offset)
                    let count = Swift.min(RequestSpool.inMemoryMax, pieces.length - offset)
                    guard count > 0 else { return nil }
                    let piece = try await onBlockingThread { () throws in try file.read(at: offset, count: count) }
                    guard !piece.isEmpty else {
                        throw HTTPCacheError.truncated(bytes: offset, expected: pieces.length)
                    }
                    self.offset += piece.count
                    return piece
                }
            }

            let file: File
            let length: Int

            func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self) }
        }

        /// The whole content of a request.
        ///
        /// - Throws: ``Failure`` for one that is not taken, as where no file can be written; what reading it throws.
        static func read(
            _ body: ClientBody, bytesMax: Int, _ room: ContentRoom, of client: String?
        ) async throws -> HTTPBody {
            if body.length == 0 { return HTTPBody() }
            guard body.length ?? 0 <= bytesMax else { throw Failure.tooLong }
            var held: [UInt8] = []
            var file: File?
            var length = 0
            for try await piece in body {
                guard piece.count <= bytesMax - length else { throw Failure.tooLong }
                if file == nil, length + piece.count > inMemoryMax {
                    file = await onBlockingThread { try? File(room, client) }
                    guard file != nil else { throw Failure.noRoom }
                }
                held += piece
                length += piece.count
                guard let file, held.count >= inMemoryMax else { continue }
                try await write(held, to: file, end: length)
                held = []
            }
            guard let file else { return HTTPBody(held) }
            if !held.isEmpty { try await write(held, to: file, end: length) }
            return HTTPBody(Pieces(file: file, length: length), length: length)
        }

        private static func write(_ bytes: [UInt8], to file: File, end: Int) async throws {
            let isWritten = await onBlockingThread { (try? file.write(bytes, at: end - bytes.count)) != nil }
            guard isWritten else { throw Failure.noRoom }
        }
    }
#endif
