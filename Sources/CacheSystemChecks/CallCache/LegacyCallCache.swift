public import CacheConformance
public import CacheCore
internal import CacheEngine
internal import Foundation
internal import Synchronization

/// PFCloud+Cache 0.0.2 as it was shipped, as a subject: its keys, its policies, and the store that it shares with everybody.
public struct LegacyCallCache: CallCacheSubject {
    private let clocks = DirectoryClocks()

    /// The subject.
    public init() {}

    /// `call-cache-as-shipped`.
    public var name: String { "call-cache-as-shipped" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// What its README promises: results on disk under functions and parameters, and a policy that loads.
    public func claims() throws(StoreError) -> Claims {
        Claims(StorageClaims(keyBytesMax: 5_000, iterates: false, durability: .exit), features: [.loader])
    }

    /// Opens a cache; keys and bytes are kept as text in base 64.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        let clock = clocks.clock(of: directory)
        return ShippedCallBytes(ShippedCallTexts(ShippedCallStore(directory ?? "", byteLimit: nil, clock), process: 0))
    }

    /// Opens one cache under each name: there is one store for all, and no names.
    public func openCalls(
        _ names: [String], in directory: String, storeBytesMax: Int?
    ) throws -> [any CallCacheInstance] {
        let store = ShippedCallStore(directory, byteLimit: storeBytesMax, clocks.clock(of: directory))
        // Another process has another seed: here it changes with what was stored before, and with nobody else's cache.
        let process = store.count
        return names.map { _ in ShippedCallTexts(store, process: process) }
    }
}

/// An open cache of texts, as it was shipped.
final class ShippedCallTexts: CallCacheInstance {
    private let store: ShippedCallStore
    /// Orders dictionaries, as the hash seed of a process does.
    private let process: Int

    init(_ store: ShippedCallStore, process: Int) {
        self.store = store
        self.process = process
    }

    /// The archive of a dictionary has the order of its hash table, which is that of filling here, turned by the process.
    private func archive(_ value: CallValue) -> String {
        guard case .record(let members) = value, !members.isEmpty else { return "\(value)" }
        let turn = process % members.count
        let turned = members[turn...] + members[..<turn]
        return "{" + turned.map { "\($0.name)=\(archive($0.value))" }.joined(separator: ",") + "}"
    }

    private func name(_ call: CheckedCall) throws -> String {
        guard let parameters = call.parameters else {
            throw StoreError(.keyRefused, "NSInvalidArgumentException: nil in a dictionary literal")
        }
        return SHA256.hexadecimal(of: Array("\(call.function)\n\(archive(parameters))".utf8))
    }

    func call(_ call: CheckedCall, origin: @escaping @Sendable () throws -> String?) throws -> CallTrail {
        var trail = CallTrail()
        func cached() throws -> String? { try store.read(name(call)) }
        // From the cache the block is called before the method returns.
        func giveCached(_ text: String) {
            trail.replies.append(.cached(text))
            trail.isReentrant = true
        }
        func ask(storing: Bool, instead: () throws -> String? = { nil }) throws {
            do {
                let text = try origin()
                if storing { try keep(text, call) }
                trail.replies.append(.fresh(text))
            } catch let error as CallTrouble {
                // Any error will do, and it is hidden.
                if let text = try instead() { return trail.replies.append(.cached(text)) }
                trail.replies.append(.failed(error.text))
            }
        }
        switch call.policy {
        case "ignoreCache": try ask(storing: false)
        case "cacheOnly": if let text = try cached() { giveCached(text) } else { trail.replies.append(.missing) }
        case "networkOnly": try ask(storing: true)
        case "cacheElseNetwork": if let text = try cached() { giveCached(text) } else { try ask(storing: true) }
        case "networkElseCache": try ask(storing: true, instead: cached)
        case "cacheThenNetwork":
            if let text = try cached() { giveCached(text) }
            try ask(storing: true)
        // An unknown policy falls through the switch.
        default: break
        }
        return trail
    }

    /// Nil is not stored, and the old one stays; what cannot be archived raises.
    private func keep(_ text: String?, _ call: CheckedCall) throws {
        guard let text else { return }
        if text == "unencodable" { throw StoreError(.valueRefused, "NSInvalidArgumentException: encodeWithCoder:") }
        try store.write(text, name(call))
    }

    /// A full read, which sets the time of access.
    func isCached(_ call: CheckedCall) throws -> Bool { try store.read(name(call)) != nil }
    func remove(_ call: CheckedCall) throws { try store.remove(name(call)) }
    func removeAll() throws { store.removeAll() }
    func setMaxAge(nanoseconds: Int64) throws { store.setAgeLimit(nanoseconds) }
    func advance(nanoseconds: Int64) { store.advance(nanoseconds) }
    var sweeps: Int { store.sweeps }
    func storedBytes() throws -> Int { store.bytes }
    func damage() throws { try store.damage() }
    func close() throws {}
}

/// The same cache for the shared checks.
private final class ShippedCallBytes: CacheInstance {
    private let texts: ShippedCallTexts

    init(_ texts: ShippedCallTexts) { self.texts = texts }

    private static func call(_ policy: String, _ key: [UInt8]) -> CheckedCall {
        CheckedCall(policy, parameters: .text(Data(key).base64EncodedString()))
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        do {
            switch operation {
            case .put(let key, _, _, let terms) where terms.tags.isEmpty:
                let text = Data(operation.entry!.value).base64EncodedString()
                _ = try texts.call(Self.call("networkOnly", key)) { text }
            case .get(let key): return .entry(try entry(key))
            case .contains(let key): return .flag(try texts.isCached(Self.call("cacheOnly", key)))
            case .remove(let key):
                let wasThere = try entry(key) != nil
                try texts.remove(Self.call("cacheOnly", key))
                return .flag(wasThere)
            case .removeAll: try texts.removeAll()
            case .load(let key, let origin): return try load(key, origin)
            case .advance(let time): texts.advance(nanoseconds: time)
            case .maintain, .flush, .pause, .close: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        } catch { return .failure(StoreError(.inputOutput, "\(error)")) }
    }

    private func entry(_ key: [UInt8]) throws -> StoredEntry? {
        guard case .cached(let text?, _)? = try texts.call(Self.call("cacheOnly", key), origin: { nil }).replies.first
        else { return nil }
        return Data(base64Encoded: text).map { StoredEntry(Array($0)) }
    }

    private func load(_ key: [UInt8], _ origin: Origin) throws -> OperationResult {
        let calls = EventCounter()
        let trail = try texts.call(Self.call("cacheElseNetwork", key)) {
            calls.add()
            do { return try origin.fetch(key, for: self).map { Data($0).base64EncodedString() } } catch {
                throw CallTrouble("failed")
            }
        }
        switch trail.replies.first {
        case .cached(let text?, _), .fresh(let text?):
            return .loaded(.value(StoredEntry(Data(base64Encoded: text).map(Array.init) ?? [])), calls: calls.count)
        case .fresh: return .loaded(.nothing, calls: calls.count)
        default: return .loaded(.failed, calls: calls.count)
        }
    }
}
