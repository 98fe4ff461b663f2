import CacheConformance
import CacheCore
import Testing

@testable import CacheStorageServers

/// The servers that all tests of this process share; each is nil where its program is not installed.
enum TestServers {
    /// From now on, for hangs only: a machine may be so busy that a test gets no time for minutes.
    static var patience: Deadline { Deadline(milliseconds: 30 * 60_000) }

    static let redis: ServerProcess? = started { () throws(StoreError) in
        try RedisStorage.startServer(.redis(), deadline: patience)
    }

    static let memcached: ServerProcess? = started { () throws(StoreError) in
        try MemcachedStorage.startServer(.memcached(memoryMiB: 256), deadline: patience)
    }

    static let redisHint: Comment = "needs redis-server; install it with: apt-get install redis-server"
    static let memcachedHint: Comment = "needs memcached; install it with: apt-get install memcached"

    /// A server, nil if it is not installed; any other failure to start is a defect.
    private static func started(_ start: () throws(StoreError) -> ServerProcess) -> ServerProcess? {
        do { return try start() } catch {
            precondition(error.message.contains("apt-get install"), "\(error)")
            return nil
        }
    }

    /// A backend's parameters with an address and no deadline to speak of.
    static func parameters<Backend: StorageBackend>(
        of type: Backend.Type, _ address: ServerAddress, _ more: String = "", deadlineMilliseconds: Int = 30 * 60_000
    ) throws -> ParameterValues {
        let text = "address=\(address),deadline-ms=\(deadlineMilliseconds)" + (more.isEmpty ? "" : ",\(more)")
        return try ParameterValues(parsing: text, for: type.descriptor.parameters, of: type.descriptor.name)
    }

    /// An open store at an address.
    static func open<Backend: StorageBackend>(
        _ type: Backend.Type, _ address: ServerAddress, _ more: String = "", deadlineMilliseconds: Int = 30 * 60_000
    ) throws -> Backend {
        let values = try parameters(of: type, address, more, deadlineMilliseconds: deadlineMilliseconds)
        return try Backend(BackendConfiguration(directory: nil, parameters: values))
    }

    /// A backend at an address as the suite drives it.
    static func subject<Backend: StorageBackend>(
        _ type: Backend.Type, _ address: ServerAddress, _ more: String = ""
    ) throws -> StorageSubject {
        StorageSubject(BackendEntry(type), parameters: try parameters(of: type, address, more))
    }
}
