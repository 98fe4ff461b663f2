internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems

/// An open HTTPCache of bytes for the shared checks: a resource for each key. Values above 64 bytes have files.
final class CurrentHTTPCacheBytes: SystemBytes {
    let gate: SystemGate
    private let cache: HTTPCache

    init(_ cache: HTTPCache, _ clock: VirtualClock) {
        self.cache = cache
        gate = SystemGate(clock)
    }

    func closeCache() throws { try cache.close() }

    func ask(_ operation: CacheOperation) throws -> OperationResult {
        do { return try answer(operation) } catch HTTPCacheError.closed { throw StoreError.closed }
    }

    private func answer(_ operation: CacheOperation) throws -> OperationResult {
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty: try put(operation.entry!.value, Self.request(key))
        case .get(let key): return .entry(try cache.storedBody(for: Self.request(key)).map { StoredEntry($0) })
        case .contains(let key): return .flag(try cache.storedBody(for: Self.request(key)) != nil)
        case .remove(let key): return .flag(try cache.purge(Self.request(key).url))
        case .removeAll: try cache.removeAll()
        case .count: return .number(try cache.urls().count)
        case .keys: return .keys(try cache.urls().map(Self.key))
        case .maintain: break
        case .flush: try cache.flush()
        default: throw StoreError.unsupported(operation)
        }
        return .done
    }

    private func put(_ value: [UInt8], _ request: HTTPRequest) throws {
        do { try SystemGate.requireShort(value) } catch {
            // As a store that refuses a value does: the old one goes too.
            try cache.purge(request.url)
            throw error
        }
        try cache.store(HTTPResponse(200, fields: ["Cache-Control": "max-age=1000"]), body: value, for: request)
    }

    private static let site = "http://site.example/k"

    /// The address of a key: two letters for each byte.
    private static func request(_ key: [UInt8]) -> HTTPRequest {
        let digits = Array("0123456789abcdef".utf8)
        let name = key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return HTTPRequest("GET", HTTPURL(site + String(decoding: name, as: UTF8.self))!)
    }

    private static func key(_ url: String) -> [UInt8] {
        let name = Array(url.utf8.dropFirst(site.utf8.count))
        func digit(_ letter: UInt8) -> UInt8 { letter < 58 ? letter - 48 : letter - 87 }
        return stride(from: 0, to: name.count, by: 2).map { digit(name[$0]) << 4 | digit(name[$0 + 1]) }
    }
}
