public import CacheConformance
public import CacheCore
import Foundation
import Synchronization

// Objects, and values of `Codable` types, which are kept as JSON.
extension ReferenceCache: ObjectInstance, CodingInstance {
    /// Keeps an object under a key.
    public func put(object: any AnyObject & Sendable, for key: [UInt8]) throws(StoreError) {
        defer { releaseDeparted() }
        try contents.withLock { (contents) throws(StoreError) in
            if contents.isClosed { throw .closed }
            contents.set(.init(key: key), StoredEntry([]), .plain)
            contents.objects[.init(key: key)] = object
        }
    }

    /// The object under a key, nil if there is none.
    public func object(for key: [UInt8]) throws(StoreError) -> (any AnyObject & Sendable)? {
        try contents.withLock { (contents) throws(StoreError) in
            if contents.isClosed { throw .closed }
            return contents.read(.init(key: key)) == nil ? nil : contents.objects[.init(key: key)]
        }
    }

    /// Stores the JSON of a value, if that can be read again.
    public func put<Value: Codable & Sendable>(coding value: Value, for key: [UInt8]) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "∞", negativeInfinity: "-∞", nan: "nan")
        do {
            // In a list, since not every encoder takes a bare number.
            let data = try encoder.encode([value])
            _ = try decoder.decode([Value].self, from: data)
            if case .failure(let error) = perform(.put(key, .bytes(Array(data)))) { throw error }
        } catch let error as StoreError {
            throw error
        } catch {
            _ = perform(.remove(key))
            throw StoreError(.valueRefused, "the value has no JSON that can be read again: \(error)")
        }
    }

    /// The value under a key, nil if there is none; throws `unsupported` for one of another type.
    public func value<Value: Codable & Sendable>(
        _ type: Value.Type, for key: [UInt8]
    ) throws(StoreError) -> Value? {
        switch perform(.get(key)) {
        case .entry(let entry?):
            do { return try decoder.decode([Value].self, from: Data(entry.value))[0] } catch {
                throw StoreError(.unsupported, "the value is not a \(type): \(error)")
            }
        case .failure(let error): throw error
        default: return nil
        }
    }

    private var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "∞", negativeInfinity: "-∞", nan: "nan")
        return decoder
    }
}
