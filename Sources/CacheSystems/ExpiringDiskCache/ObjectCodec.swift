internal import Foundation

/// Turns the objects of an ``ExpiringDiskCache`` into bytes and back: the place to compress, to encrypt, to convert.
///
/// What is decoded must equal what was encoded. A codec that throws makes the call throw that it serves; it may use the cache.
public struct ObjectCodec<Object: Sendable>: Sendable {
    /// The bytes of an object.
    public let encode: @Sendable (Object) throws -> [UInt8]
    /// The object of bytes; throws for bytes that no encoder made.
    public let decode: @Sendable ([UInt8]) throws -> Object

    /// A codec of two functions.
    public init(
        encode: @escaping @Sendable (Object) throws -> [UInt8], decode: @escaping @Sendable ([UInt8]) throws -> Object
    ) {
        self.encode = encode
        self.decode = decode
    }

    /// This codec with another stage behind it, which turns its bytes into others and back.
    public func followed(
        by transform: @escaping @Sendable ([UInt8]) throws -> [UInt8],
        undoneBy undo: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) -> ObjectCodec {
        ObjectCodec(
            encode: { [encode] in try transform(encode($0)) }, decode: { [decode] in try decode(undo($0)) })
    }
}

extension ObjectCodec where Object: Codable {
    /// JSON, for any `Codable` object, numbers that JSON has no form for included.
    public static var json: ObjectCodec {
        ObjectCodec(encode: { try EnclosedJSON.bytes(of: $0) }, decode: { try EnclosedJSON.object(of: $0) })
    }
}

extension ObjectCodec where Object == [UInt8] {
    /// Bytes as they are.
    public static var bytes: ObjectCodec { ObjectCodec(encode: { $0 }, decode: { $0 }) }
}
