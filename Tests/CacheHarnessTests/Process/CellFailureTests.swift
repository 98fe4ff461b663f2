import CacheCore
import CacheHarness
import Foundation
import Testing

@Suite("Failures of combinations: what an error stands for")
struct CellFailureTests {
    @Test(arguments: [
        (StoreError(.full, "no space for the database: database or disk is full"), CellFailure.Kind.lackedResource),
        (StoreError(.unavailable, "unable to open database file", errno: EMFILE), .lackedResource),
        (StoreError(.inputOutput, "cannot read", errno: ENOMEM), .lackedResource),
        (StoreError(.unavailable, "cannot open", errno: EACCES), .failed),
        (StoreError(.inputOutput, "Too many open files is the name of an entry", errno: EIO), .failed),
        (StoreError(.hung, "no answer within 1 s"), .hung),
    ])
    func `a store's failure tells it by its code and error number`(error: StoreError, kind: CellFailure.Kind) {
        #expect(CellFailure(AssayError(.inputOutput, "it failed", cause: error)).kind == kind)
    }

    @Test func `an error without a store tells it by its words`() {
        let words = String(cString: strerror(EMFILE))
        #expect(CellFailure(AssayError(.inputOutput, "it cannot be read", cause: words)).kind == .lackedResource)
        #expect(CellFailure(AssayError(.crashed, "it ended")).kind == .crashed)
        #expect(CellFailure(AssayError(.verdict, "wrong bytes")).kind == .failed)
    }
}
