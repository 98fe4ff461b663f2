import CacheCore
import Testing
import _CacheTestSupport

@testable import CacheConformance

@Suite("Claims that a probe proposes")
struct ClaimProposalTests {
    private struct SmallSubject: CacheSubject {
        let name = "small"
        var countsWrong = false
        var isBounded = true
        func claims() -> Claims {
            Claims(
                StorageClaims(valueBytesMax: 1 << 16, isConcurrent: false),
                room: Claims.Room(.objects(512), units: [.objects]))
        }
        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            SmallCache(isBounded ? setup.capacity?.amount ?? 512 : .max, countsWrong: countsWrong)
        }
    }

    @Test func `what holds is proposed, and what is not there is said`() {
        let proposal = ClaimProposal(of: SmallSubject())
        #expect(proposal.claims.retains && proposal.claims.iterates && proposal.claims.room?.isStrict == true)
        #expect(
            proposal.claims.room?.units == [.objects]
                && proposal.claims.features.isDisjoint(with: [.touch, .loader, .tags]))
        let touch = proposal.rejections.first { $0.claim == "touch" }
        #expect(touch?.check == nil && touch?.reason.contains("unsupported") == true)
        // An adapter that does one request after the other would seem to be for several threads.
        #expect(!proposal.claims.isConcurrent && proposal.rejections.contains { $0.claim == "isConcurrent" })
    }

    @Test func `a claim that a check denies is not proposed, and the check is named`() {
        let proposal = ClaimProposal(of: SmallSubject(countsWrong: true))
        #expect(!proposal.claims.iterates && proposal.claims.retains)
        #expect(proposal.rejections.contains { $0.claim == "iterates" && $0.check != nil })
    }

    @Test func `a room that nothing keeps to is not proposed`() {
        #expect(ClaimProposal(of: SmallSubject(isBounded: false)).claims.room == nil)
    }
}
