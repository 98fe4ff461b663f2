internal import CacheCore

/// A share of the objects by a hash of their keys, so that every request of a chosen object is in the sample and no other, in
/// whatever trace the key occurs.
public struct KeySample: Sendable {
    private let threshold: UInt64
    private let salt: UInt64

    /// The objects that a rate above 0 and below 1 keeps; another seed keeps others.
    public init(rate: Double, seed: UInt64) {
        threshold = UInt64(min(0x1p63 * 1.999_999, max(1, (rate * 0x1p64).rounded())))
        salt = mix64(seed)
    }

    /// Which objects of a trace are in, by their numbers. O(objects).
    public func objects(of trace: CompiledTrace) -> [Bool] {
        (0..<UInt32(trace.objects)).map { id in
            let number: UInt64
            if let key = trace.integerKey(of: id) {
                number = key
            } else {
                let hash = XXH3Hash()
                trace.key(of: id).withUnsafeBytes { hash.update($0) }
                number = hash.low64
            }
            return mix64(number &+ salt) < threshold
        }
    }
}
