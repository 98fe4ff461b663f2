internal import CacheConformance
internal import CacheEngine
internal import Dispatch
internal import Foundation
internal import Synchronization

/// MTH: what a cache of methods must do beside what every cache does.
enum MethodChecks {
    static func check(
        _ id: String, _ assertion: String, _ explanation: String, steps: [String],
        _ body: @escaping @Sendable (any MethodCacheSubject) throws -> Void
    ) -> Check {
        Check(id, of: (any MethodCacheSubject).self, assertion, explanation: explanation, steps: steps, body: body)
    }

    /// Opens a cache with one method that returns the number of its call.
    static func counting(
        _ subject: any MethodCacheSubject, _ setup: MethodSetup = MethodSetup(), keyedBy places: [Int]? = nil
    ) throws -> (instance: any MethodInstance, method: CheckedMethod) {
        let instance = try subject.openMethods(setup)
        let calls = EventCounter()
        let method = instance.memoize("count", receiver: 0, keyedBy: places) { _ in
            calls.add()
            return .integer(calls.count)
        }
        return (instance, method)
    }

    /// Whether two lists of arguments have results of their own.
    private static func apart(_ subject: any MethodCacheSubject, _ pairs: [([MethodValue], [MethodValue])]) throws {
        for (a, b) in pairs {
            let method = try counting(subject).method
            let results = [try method.call(a), try method.call(b), try method.call(a)]
            try CheckViolation.unless(
                results, is: [.integer(1), .integer(2), .integer(1)], "results for \(a), \(b) and the first")
        }
    }

    static let all = keys + results + room + control

    private static let keys: [Check] = [
        check(
            "MTH-1", "Equal arguments call the method once, others each once.",
            "The method returns the number of its call. Finds caches that never hit, and keys that leave arguments out.",
            steps: ["call with 1, 1, 2, 1", "compare the results"]
        ) { subject in
            let method = try counting(subject).method
            let results = try [1, 1, 2, 1].map { try method.call([.integer($0)]) }
            try CheckViolation.unless(results, is: [1, 1, 2, 1].map { .integer($0) }, "results")
        },
        check(
            "MTH-2", "Arguments are kept apart, whatever text is in them.",
            "Finds keys that are joined with a separator which arguments may contain.",
            steps: ["call with (\"a~b\", \"c\") and (\"a\", \"b~c\")"]
        ) { subject in
            try apart(
                subject,
                [
                    ([.text("a~b"), .text("c")], [.text("a"), .text("b~c")]), ([.text("")], []),
                    ([.text("~")], [.text(""), .text("")]),
                ])
        },
        check(
            "MTH-3", "Values of different kinds are different arguments.",
            "No value and the text (null), a number and its digits, yes and 1. Finds keys made of descriptions.",
            steps: ["call with each of a pair"]
        ) { subject in
            try apart(
                subject,
                [
                    ([.nothing], [.text("(null)")]), ([.integer(1)], [.text("1")]), ([.flag(true)], [.integer(1)]),
                ])
        },
        check(
            "MTH-4", "Methods of two objects that share a cache keep their results apart.",
            "Finds keys without the receiver.", steps: ["memoise the same method of two objects", "call both"]
        ) { subject in
            let instance = try subject.openMethods(MethodSetup())
            let methods = [1, 2].map { number in
                instance.memoize("name", receiver: number, keyedBy: nil) { _ in .integer(number) }
            }
            let results = try methods.map { try $0.call([.text("x")]) }
            try CheckViolation.unless(results, is: [.integer(1), .integer(2)], "results")
        },
        check(
            "MTH-5", "Equal objects are one argument, wherever they lie in memory.",
            "Two objects of one name at two addresses. Finds keys that contain addresses, which never hit.",
            steps: ["call with two equal objects"]
        ) { subject in
            let method = try counting(subject).method
            let results = try [100, 200].map { try method.call([.object("o", address: $0)]) }
            try CheckViolation.unless(results, is: [.integer(1), .integer(1)], "results")
        },
        check(
            "MTH-6", "Arguments that are not chosen for the key do not matter, and all may be left out.",
            "Finds projections that are ignored.", steps: ["key by the first of two arguments, then by none"]
        ) { subject in
            let first = try counting(subject, keyedBy: [0]).method
            let some = try [(1, 1), (1, 2), (2, 1)].map { try first.call([.integer($0), .integer($1)]) }
            try CheckViolation.unless(some, is: [.integer(1), .integer(1), .integer(2)], "results keyed by the first")
            let none = try counting(subject, keyedBy: []).method
            let all = try [1, 2].map { try none.call([.integer($0)]) }
            try CheckViolation.unless(all, is: [.integer(1), .integer(1)], "results keyed by none")
        },
    ]

    private static let results: [Check] = [
        check(
            "MTH-7", "A result of any type comes back as itself.",
            "Calls twice for a number, a text, a Boolean, a structure and nothing. Finds types that come back as zeros.",
            steps: ["call each method twice"]
        ) { subject in
            let instance = try subject.openMethods(MethodSetup())
            let values: [MethodValue] = [
                .integer(7), .text("x"), .flag(true), .pair(3, 4), .object("o", address: 1), .nothing,
            ]
            for (number, value) in values.enumerated() {
                let method = instance.memoize("value\(number)") { _ in value }
                let results = [try method.call([]), try method.call([])]
                try CheckViolation.unless(results, is: [value, value], "results")
            }
        },
        check(
            "MTH-8", "That there is no value is a result, and is not computed again.",
            "Finds caches that take nothing for a miss.", steps: ["call twice a method that finds nothing"]
        ) { subject in
            let instance = try subject.openMethods(MethodSetup())
            let calls = EventCounter()
            let method = instance.memoize("find") { _ in
                calls.add()
                return .nothing
            }
            let results = [try method.call([]), try method.call([])]
            try CheckViolation.unless(results, is: [.nothing, .nothing], "results")
            try CheckViolation.unless(calls.count, is: 1, "calls of the method")
        },
        check(
            "MTH-9", "A method that returns nothing is called every time, unless one asks for less.",
            "Finds effects that are skipped in silence.", steps: ["call twice a method without a result"]
        ) { subject in
            let calls = EventCounter()
            let method = try subject.openMethods(MethodSetup()).memoizeEffect("log") { _ in calls.add() }
            method([.integer(1)])
            method([.integer(1)])
            try CheckViolation.unless(calls.count, is: 2, "calls of the method")
        },
        check(
            "MTH-10", "A call that throws is not remembered, and its error is the method's.",
            "Throws once, then returns. Finds errors that are kept, and errors that are swallowed.",
            steps: ["call three times a method that throws the first time"]
        ) { subject in
            struct Trouble: Error {}
            let calls = EventCounter()
            let method = try subject.openMethods(MethodSetup()).memoize("fail") { _ in
                calls.add()
                if calls.count == 1 { throw Trouble() }
                return .integer(calls.count)
            }
            do {
                let result = try method.call([])
                throw CheckViolation(observed: "\(result)", permitted: "the method's error")
            } catch is Trouble {}
            let results = [try method.call([]), try method.call([])]
            try CheckViolation.unless(results, is: [.integer(2), .integer(2)], "results")
        },
    ]
}
