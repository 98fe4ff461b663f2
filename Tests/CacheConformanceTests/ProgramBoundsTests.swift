import CacheCore
import Foundation
import Testing

@testable import CacheConformance

@Suite("Bounds of programs from files")
struct ProgramBoundsTests {
    private func read(_ json: String) throws -> Program {
        try JSONDecoder().decode(Program.self, from: Data(json.utf8))
    }

    @Test(arguments: [
        (#"[{"operation":"put","key":"61","sequence":1,"bytes":2147483648}]"#, "0 to 134217728 bytes"),
        (#"[{"operation":"put","key":"61","sequence":1,"bytes":9007199254740992}]"#, "0 to 134217728 bytes"),
        (#"[{"operation":"put","key":"61","sequence":1,"bytes":-1}]"#, "0 to 134217728 bytes"),
        (
            #"[{"operation":"put","key":"61","sequence":1,"bytes":90000000},{"operation":"put","key":"62","sequence":1,"bytes":90000000}]"#,
            "together"
        ),
        (
            #"[{"operation":"putMany","items":[{"operation":"put","key":"61","sequence":1,"bytes":4294967296}]}]"#,
            "0 to 134217728 bytes"
        ),
        (#"[{"operation":"advance","amount":-1}]"#, "time does not go back"),
        (#"[{"operation":"sleep","amount":-1}]"#, "time does not go back"),
        (
            #"[{"operation":"advance","amount":9223372036854775807},{"operation":"sleep","amount":1}]"#,
            "operation 2, 'sleep': the clock would pass 2^63"
        ),
        (#"[{"operation":"moveWallClock","amount":-9223372036854775808}]"#, "the wall clock"),
        (
            #"[{"operation":"put","key":"61","value":"01","terms":{"cost":9223372036854775807}},{"operation":"put","key":"62","value":"01"}]"#,
            "costs add up"
        ),
        (#"[{"operation":"put","key":"61","value":"01","terms":{"cost":-9223372036854775808}}]"#, "costs add up"),
        (#"[{"operation":"pause","amount":60000}]"#, "0 to 1000 milliseconds"),
        (#"[{"operation":"open","setup":{"nowNanoseconds":-5}}]"#, "a time of 'open' is below 0"),
        (#"[{"operation":"loadMany","keys":["61"],"sequence":9223372036854775807}]"#, "'sequence'"),
        (#"[{"operation":"getMany","keys":["6"]}]"#, "'6' is not bytes in hexadecimal"),
        (#"[{"operation":"getMany","keys":["6A","6g"]}]"#, "'6g' is not bytes in hexadecimal"),
        (#"[{"operation":"getMany"}]"#, "operation 1, 'getMany', does not exist or lacks"),
        (#"[{"operation":"load","key":"61","origin":"nothing","meanwhile":[{"operation":"fly"}]}]"#, "'load'"),
    ])
    func `what a program asks for has limits, which are told before anything is made`(json: String, words: String) {
        let error = #expect(throws: DecodingError.self) { try read(json) }
        #expect(error?.inWords.contains(words) == true, "\(error?.inWords ?? "read")")
    }

    @Test func `operations lie eight deep in each other and no deeper`() throws {
        func nested(_ depth: Int) -> String {
            (0..<depth).reduce(#"{"operation":"get","key":"61"}"#) { inner, _ in
                #"{"operation":"load","key":"61","origin":"nothing","meanwhile":[\#(inner)]}"#
            }
        }
        #expect(try read("[\(nested(8))]").operations.count == 1)
        for depth in [9, 120] {
            #expect(throws: DecodingError.self) { try read("[\(nested(depth))]") }
        }
    }

    @Test func `every program that random checks draw is within the bounds, and is read again as it was`() throws {
        var generator = ProgramGenerator(
            claims: Claims(features: Set(Claims.Feature.allCases)), keys: [Array("a".utf8), Array("b".utf8)],
            random: SeededGenerator(seed: 3))
        for _ in 0..<50 {
            let program = generator.program(operations: 200, features: true)
            #expect(try read(String(decoding: JSONEncoder().encode(program), as: UTF8.self)) == program)
        }
    }

    @Test func `one more than the greatest number is that number`() {
        let greatest = DecimalText.bytes(.max)
        #expect(Change.countUp.result(for: [], old: greatest) == greatest)
    }
}
