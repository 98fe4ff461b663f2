import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Foundation
import Testing
import _CacheTestSupport

@Suite("Fuzzed programs are replayed", .serialized)
struct ProgramReplayFuzzTests {
    private static let programs = [
        #"[{"operation":"open","setup":{"capacity":{"amount":4,"unit":"objects"},"timeToIdleNanoseconds":10,"staleNanoseconds":50,"refreshNanoseconds":5,"nowNanoseconds":7}},{"operation":"put","key":"61","value":"0102","terms":{"timeToLiveNanoseconds":9,"cost":3,"tags":["t"]}},{"operation":"advance","amount":5},{"operation":"get","key":"61"},{"operation":"statistics"},{"operation":"maintain"},{"operation":"events"}]"#,
        #"[{"operation":"open","setup":{"capacity":{"amount":400,"unit":"bytes"}}},{"operation":"put","key":"61","sequence":1,"bytes":300,"terms":{"cost":200}},{"operation":"load","key":"62","origin":"value","value":"01","terms":{"cost":300},"meanwhile":[{"operation":"get","key":"61"},{"operation":"put","key":"62","value":"02"}]},{"operation":"cost"},{"operation":"resize","amount":100},{"operation":"count"},{"operation":"statistics"}]"#,
        #"[{"operation":"increment","key":"63","amount":9223372036854775807},{"operation":"increment","key":"63","amount":1},{"operation":"update","key":"63","word":"countUp"},{"operation":"touch","key":"63","amount":5},{"operation":"remainingTime","key":"63"},{"operation":"moveWallClock","amount":-100},{"operation":"sleep","amount":4},{"operation":"rename","key":"63","other":"64"},{"operation":"pin","key":"64"},{"operation":"firstKeys","amount":1}]"#,
        #"[{"operation":"putMany","items":[{"operation":"put","key":"61","value":"01"}]},{"operation":"getMany","keys":["61","62"]},{"operation":"loadMany","keys":["61","63"],"lacking":["63"],"sequence":1},{"operation":"put","key":"61","value":"03","group":"g"},{"operation":"limitGroup","tag":"g","amount":1},{"operation":"removeAll","group":"g"},{"operation":"removeTagged","tag":"t"},{"operation":"listen","word":"reenters","items":[{"operation":"get","key":"61"}]},{"operation":"failWrites","amount":1},{"operation":"exchange","key":"61","value":"05"},{"operation":"writes"}]"#,
    ]

    @Test(arguments: ["lru", "fifo"])
    func `whatever a file holds is a program or an error, and runs on the reference and the model`(order: String) throws
    {
        let subject = ReferenceSubject(order: order, policies: BuiltinPolicies.all)
        let words = [
            #"{"operation":"get","key":"61"},"#, #""amount":"#, #""bytes":"#, #""cost":"#, #""timeToLiveNanoseconds":"#,
            "reopen", "load",
            #""meanwhile":["#, #""unit":"bytes""#, "removeAll", "compareAndSet", #"{"operation":"clear"},"#,
        ]
        try Fuzzer("program-\(order)", samples: Self.programs.map { Array($0.utf8) }, fragments: words).run { bytes in
            let program = try JSONDecoder().decode(Program.self, from: Data(bytes))
            guard program.operations.count < 2_000 else { return }
            for form in CheckFailure.Reproducer.allCases { _ = program.text(form) }
            _ = try Replay(program, on: subject)
        }
    }

    @Test func `each sample is a program that the reference keeps to`() throws {
        let subject = ReferenceSubject(policies: BuiltinPolicies.all)
        for text in Self.programs {
            let program = try JSONDecoder().decode(Program.self, from: Data(text.utf8))
            let replay = try Replay(program, on: subject)
            #expect(replay.isPermitted, "\(replay.steps.last.map { "\($0)" } ?? "") \(replay.remark ?? "")")
        }
    }
}
