import CacheConformance
import CacheCore
import Testing

@testable import CacheStorageServers

/// Every check on the backends behind a socket: one test case a check and configuration.
@Suite("Server conformance")
struct ServerConformanceTests {
    /// Every check on the default configuration, and those about values where parameters change what they may be.
    static let cases: [(check: Check, parameters: String)] =
        ConformanceSuite.storage.checks.map { ($0, "") }
        + ["value-bytes-max=65536", "server-expiry"].flatMap { parameters in
            ConformanceSuite.storage.checks.filter { $0.section == "VAL" }.map { ($0, parameters) }
        }

    @Test(.enabled(if: TestServers.redis != nil, TestServers.redisHint), arguments: cases)
    func `redis conforms`(check: Check, parameters: String) throws {
        let server = try #require(TestServers.redis)
        try expect(check, of: TestServers.subject(RedisStorage.self, server.address, parameters))
    }

    @Test(.enabled(if: TestServers.memcached != nil, TestServers.memcachedHint), arguments: cases)
    func `memcached conforms`(check: Check, parameters: String) throws {
        let server = try #require(TestServers.memcached)
        try expect(check, of: TestServers.subject(MemcachedStorage.self, server.address, parameters))
    }

    /// A check passes or is not due; one that is blocked for want of a witness has shown nothing.
    private func expect(_ check: Check, of subject: StorageSubject) throws {
        let result = check.run(on: subject)
        if case .fail(let failure) = result.outcome { Issue.record("\(failure)") }
        if case .blocked(let reason) = result.outcome { Issue.record("blocked: \(reason)") }
    }
}
