import CacheConformance
import CacheCore
import CacheMutants
import CacheReference

/// The reference cache with the claims of a store of bytes, or one of its mutants: in a directory if its claims need one.
enum ReferenceStorage {
    /// It promises everything, with limits small enough to try.
    static let everything = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, durability: .kill)

    static func subject(_ mutant: String? = nil, claims: StorageClaims = everything) -> ClaimedSubject {
        let subject: any CacheSubject =
            mutant.flatMap(Mutation.named).map { $0.subject(policies: []) }
            ?? ReferenceSubject(flavour: claims.durability >= .exit ? .persistent : .plain, policies: [])
        return ClaimedSubject(subject, claims: Claims(claims, features: [.storedExpiry]))
    }
}
