internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// What the subjects of systems stand on that keep their entries in a directory: a policy, a store, and clocks that go on.
struct SystemGround: Sendable {
    let policy: PolicyEntry
    let storage: BackendEntry
    let clocks = DirectoryClocks()

    /// The store's own claims with the limits of subjects, and what the system can do besides.
    func claims(_ features: Set<Claims.Feature>, iterates: Bool = false) -> Claims {
        var claims = StorageClaims(iterates: iterates, durability: .kill)
        claims.keyBytesMax = SystemGate.keyBytesMax
        claims.valueBytesMax = SystemGate.valueBytesMax
        return Claims(claims, features: features)
    }

    /// Opens a cache over the store of a directory.
    func open<Instance>(
        in directory: String?, _ body: (any StorageBackend, VirtualClock) throws -> Instance
    ) throws(StoreError) -> Instance {
        let store = try storage.open(directory: directory)
        do { return try body(store, clocks.clock(of: directory)) } catch let error as StoreError { throw error } catch {
            throw StoreError(.unavailable, "\(error)")
        }
    }
}

/// The clocks of the directories: time goes on while a cache is closed.
final class DirectoryClocks: Sendable {
    private let clocks = Mutex<[String: VirtualClock]>([:])

    func clock(of directory: String?) -> VirtualClock {
        clocks.withLock { clocks in
            let clock = directory.flatMap { clocks[$0] } ?? VirtualClock()
            if let directory { clocks[directory] = clock }
            return clock
        }
    }
}

/// A store that several caches use; the last of them closes it.
final class SharedStore: Sendable {
    let storage: any StorageBackend
    private let users: Mutex<Int>

    init(_ storage: any StorageBackend, users: Int) {
        self.storage = storage
        self.users = Mutex(users)
    }

    func leave() throws {
        let left = users.withLock { users in
            users -= 1
            return users
        }
        if left == 0 { try storage.close() }
    }
}
