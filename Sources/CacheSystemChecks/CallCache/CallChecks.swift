internal import CacheConformance
internal import CacheEngine
internal import Dispatch
internal import Foundation
internal import Synchronization

/// CAL: what a cache of calls must do beside what every cache does.
enum CallChecks {
    /// The caches of a check, and how to open them again.
    struct Bench {
        let subject: any CallCacheSubject
        let directory: String
        let storeBytesMax: Int?
        let caches: [any CallCacheInstance]

        var cache: any CallCacheInstance { caches[0] }

        /// Closes them, and opens the first again.
        func reopened() throws -> any CallCacheInstance {
            for cache in caches { try cache.close() }
            return try subject.openCalls(["a"], in: directory, storeBytesMax: storeBytesMax)[0]
        }

        /// The replies to one call, with an origin that gives a text or nil.
        func replies(
            _ policy: String, _ parameters: CallValue? = .integer(1), function: String = "f",
            origin text: String? = "new"
        ) throws -> [CallReply] {
            let call = CheckedCall(policy, parameters: parameters, function: function)
            return try cache.call(call) { text }.replies
        }

        /// Requires the reply of the cache alone.
        func require(
            _ reply: CallReply, _ what: String, for parameters: CallValue? = .integer(1), function: String = "f"
        ) throws {
            try CheckViolation.unless(replies("cacheOnly", parameters, function: function), is: [reply], what)
        }
    }

    static func check(
        _ id: String, _ assertion: String, _ explanation: String, steps: [String], storeBytesMax: Int? = nil,
        _ body: @escaping @Sendable (Bench) throws -> Void
    ) -> Check {
        Check(
            id, of: (any CallCacheSubject).self, assertion, explanation: explanation, steps: steps
        ) { subject in
            let directory = FileManager.default.temporaryDirectory.appending(path: "assay-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let caches = try subject.openCalls(["a", "b"], in: directory, storeBytesMax: storeBytesMax)
            try body(Bench(subject: subject, directory: directory, storeBytesMax: storeBytesMax, caches: caches))
        }
    }

    static let all = table + keys + ages + removals + answers + room

    /// By policy: what is told where there is a cached answer and the origin answers or fails, and where there is none and it does.
    private static let cells: [(policy: String, told: [String], asked: [Int])] = [
        ("ignoreCache", ["N", "E", "N", "E"], [1, 1, 1, 1]), ("cacheOnly", ["C", "C", "M", "M"], [0, 0, 0, 0]),
        ("networkOnly", ["N", "E", "N", "E"], [1, 1, 1, 1]), ("cacheElseNetwork", ["C", "C", "N", "E"], [0, 0, 1, 1]),
        ("networkElseCache", ["N", "C", "N", "E"], [1, 1, 1, 1]),
        ("cacheThenNetwork", ["CN", "CE", "N", "E"], [1, 1, 1, 1]),
    ]

    private static func letter(_ reply: CallReply) -> String {
        switch reply {
        case .cached("old", _): "C"
        case .fresh("new"): "N"
        case .failed("offline"): "E"
        case .missing: "M"
        default: "\(reply)"
        }
    }

    private static let table = [
        check(
            "CAL-1", "Each of the six policies tells, asks and stores what its row of the table says.",
            "Every cell: cached or not, an origin that answers or fails. Finds policies that are mixed up.",
            steps: ["store an answer or none", "call by a policy", "call by cacheOnly"]
        ) { bench in
            for (row, cells) in cells.enumerated() {
                for column in 0..<4 {
                    let parameters = CallValue.integer(row * 4 + column)
                    if column < 2 { _ = try bench.replies("networkOnly", parameters, origin: "old") }
                    let asked = EventCounter()
                    let trail = try bench.cache.call(CheckedCall(cells.policy, parameters: parameters)) {
                        asked.add()
                        if column % 2 == 1 { throw CallTrouble("offline") }
                        return "new"
                    }
                    let what = "\(cells.policy), column \(column + 1)"
                    try CheckViolation.unless(trail.replies.map(letter).joined(), is: cells.told[column], what)
                    try CheckViolation.unless(asked.count, is: cells.asked[column], "requests of \(what)")
                    let isNew = cells.told[column].hasSuffix("N") && cells.policy != "ignoreCache"
                    let left: CallReply = isNew ? .cached("new") : column < 2 ? .cached("old") : .missing
                    try bench.require(left, "what \(what) leaves", for: parameters)
                }
            }
        }
    ]

    private static func record(_ order: some Sequence<Int>) -> CallValue {
        .record(
            order.map {
                .init("\($0)", .list([.integer($0), .record([.init("a", .nothing), .init("b", .flag(true))])]))
            })
    }

    private static let keys = [
        check(
            "CAL-2", "Equal dictionaries are one set of parameters, in whatever order they were filled.",
            "Finds digests of an archive, whose order is that of the hash table.",
            steps: ["store for a dictionary", "call with it filled backwards"]
        ) { bench in
            _ = try bench.replies("networkOnly", record(0..<20))
            try bench.require(.cached("new"), "the answer", for: record((0..<20).reversed()))
        },
        check(
            "CAL-3", "A dictionary has the same record after the cache was opened again.",
            "Finds digests that differ from process to process.",
            steps: ["store for a dictionary", "close, open", "call with it"]
        ) { bench in
            _ = try bench.replies("networkOnly", record(0..<20))
            let trail = try bench.reopened().call(CheckedCall("cacheOnly", parameters: record(0..<20))) { nil }
            try CheckViolation.unless(trail.replies, is: [.cached("new")], "the answer")
        },
        check(
            "CAL-4",
            "Parameters that differ in kind, value or place have records of their own, and so has each function.",
            "Finds digests of text, in which 1, 1.0 and \"1\" are one.",
            steps: ["store for each of many parameters and two functions", "call with each"]
        ) { bench in
            let values: [CallValue] = [
                .integer(1), .number(1.5), .flag(true), .text("1"), .nothing, .text("nil"), .list([]),
                .list([.integer(1)]),
                .record([]), .record([.init("a", .nothing)]), .list([.text("ab"), .text("c")]), .number(1),
                .list([.text("a"), .text("bc")]), .record([.init("a", .integer(1))]), .list([.list([.integer(1)])]),
            ]
            for function in ["f", "g"] {
                for (number, value) in values.enumerated() {
                    _ = try bench.replies("networkOnly", value, function: function, origin: "\(function)\(number)")
                }
            }
            for function in ["f", "g"] {
                for (number, value) in values.enumerated() {
                    try bench.require(
                        .cached("\(function)\(number)"), "\(function) \(value)", for: value, function: function)
                }
            }
        },
        check(
            "CAL-5", "A call without parameters is a call like any other.",
            "Finds keys that cannot be made of nothing.", steps: ["store without parameters", "call without"]
        ) { bench in
            _ = try bench.replies("networkOnly", nil)
            try bench.require(.cached("new"), "the answer", for: nil)
        },
    ]
}
