import CacheConformance
import CacheCore
import Foundation
import Synchronization
import Testing

/// Caches with two faces, whose faults no face shows by itself.
@Suite("Two faces of one cache")
struct FacesTests {
    enum Kind: CaseIterable {
        case sound
        /// Each face serves what it has read, also when it was removed or replaced by the other (hyperoslo/Cache, views of a `Storage`).
        case keepsReads
        /// Each face has a lock of its own over what both store (hyperoslo/Cache, `Storage` and its `async`).
        case locksEach
    }

    private final class Instance: CacheInstance {
        private let kind: Kind
        private let entries = Mutex<[[UInt8]: StoredEntry]>([:])
        private let reads = Mutex<[Int: [[UInt8]: StoredEntry]]>([:])
        private let locks = [NSLock(), NSLock()]

        init(_ kind: Kind) { self.kind = kind }

        func perform(_ operation: CacheOperation) -> OperationResult { perform(operation, face: 0) }

        func perform(_ operation: CacheOperation, face: Int) -> OperationResult {
            switch operation {
            case .put(let key, _, _, _):
                _ = change(face, key) { $0.updateValue(StoredEntry(operation.entry!.value), forKey: key) }
            case .remove(let key): return .flag(change(face, key) { $0.removeValue(forKey: key) } != nil)
            case .removeAll: change(face, nil) { $0 = [:] }
            case .get(let key): return .entry(find(key, face))
            case .contains(let key): return .flag(find(key, face) != nil)
            case .flush, .maintain, .close: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        }

        private func find(_ key: [UInt8], _ face: Int) -> StoredEntry? {
            if kind == .keepsReads, let known = reads.withLock({ $0[face]?[key] }) { return known }
            let found = entries.withLock { $0[key] }
            reads.withLock { $0[face, default: [:]][key] = found }
            return found
        }

        /// Copies what is stored, changes the copy and stores that.
        private func change<Result>(
            _ face: Int, _ key: [UInt8]?, _ body: (inout [[UInt8]: StoredEntry]) -> Result
        ) -> Result {
            let lock = locks[kind == .locksEach ? face : 0]
            lock.lock()
            defer { lock.unlock() }
            reads.withLock { if let key { $0[face]?[key] = nil } else { $0[face] = nil } }
            var copy = entries.withLock(\.self)
            let result = body(&copy)
            if kind == .locksEach { Thread.sleep(forTimeInterval: 0.000_02) }
            entries.withLock { $0 = copy }
            return result
        }
    }

    private struct Subject: CacheSubject {
        let kind: Kind
        var faces = 2
        var name: String { "two faces" }

        func claims() -> Claims {
            var claims = Claims(StorageClaims(keyBytesMax: 500, iterates: false, isConcurrent: kind != .keepsReads))
            claims.faces = faces
            return claims
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance { Instance(kind) }
    }

    private static func fails(_ id: String, _ subject: Subject) throws -> Bool {
        let check = try #require(ConformanceSuite.cache.check(id))
        return (0..<3).contains { check.run(on: subject, seed: UInt64($0)).outcome.name == "fail" }
    }

    @Test(arguments: ["BAS-3", "BAS-11"], Kind.allCases)
    func `what one has written or removed is so for the other`(id: String, kind: Kind) throws {
        #expect(try Self.fails(id, Subject(kind: kind)) == (kind == .keepsReads))
        #expect(try !Self.fails(id, Subject(kind: kind, faces: 1)))
    }

    @Test(arguments: [Kind.sound, .locksEach]) func `clients of both are linearizable`(kind: Kind) throws {
        #expect(try Self.fails("LIN-1", Subject(kind: kind)) == (kind == .locksEach))
        #expect(try !Self.fails("LIN-1", Subject(kind: kind, faces: 1)))
    }

    @Test func `a reproducer names the face of each request, and none where one face shows it`() throws {
        let check = try #require(ConformanceSuite.cache.check("BAS-11"))
        let program = try #require(check.run(on: Subject(kind: .keepsReads)).failure?.program)
        #expect(program.setup.faces == 2 && program.transcript.contains(#""face":1"#))
        #expect(program.swiftSource.contains(", face: 1)"))
        #expect(try !Replay(program, on: Subject(kind: .keepsReads)).isPermitted)
        // Puts that do not replace, which any face shows.
        var mutant = FrontedSubject(DeviatingCache(bug: "M1"), front: { AnyFace(of: $0) })
        mutant.change = { $0.faces = 2 }
        let other = try #require(check.run(on: mutant).failure?.program)
        #expect(other.setup.faces == nil)
    }

    /// Any face is the cache.
    private final class AnyFace: CacheInstance {
        private let cache: any CacheInstance
        init(of cache: any CacheInstance) { self.cache = cache }
        func perform(_ operation: CacheOperation) -> OperationResult { cache.perform(operation) }
        func perform(_ operation: CacheOperation, face: Int) -> OperationResult { cache.perform(operation) }
    }
}
