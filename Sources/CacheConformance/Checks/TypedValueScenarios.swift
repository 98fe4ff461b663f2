import CacheCore
import Foundation
import Synchronization

/// The bodies of checks about values that are not bytes: objects and `Codable` types.
enum TypedValueScenarios: LetterKeys {
    private static let elsewhere = "the subject's instances are not of the protocol that this claim is about"

    // MARK: Objects

    /// An object whose contents can change.
    private final class Box: Sendable {
        let number: Mutex<Int>
        init(_ number: Int) { self.number = Mutex(number) }
    }

    /// VAL-4.
    static func identity(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "put object 1 under a", "get a, twice", "put object 2, of the same contents, under a", "get a",
            "put object 3 under b", "remove a and b", "maintain", "look whether the objects still exist",
        ]
        let complaint = try context.withInstance(steps: steps) { (instance) throws(CheckStop) -> String? in
            guard let cache = instance as? any ObjectInstance else { throw .blocked(elsewhere) }
            return try context.expecting("no error", steps: steps) { () throws(StoreError) in
                try identity(in: cache, mustFind: context.claims.retains)
            }
        }
        try context.require(
            complaint == nil, observed: complaint ?? "", permitted: "each object itself, and none once it has left",
            steps: steps)
        try letsGo(context)
    }

    /// Objects that are cleared, expire and are evicted, as far as that is claimed.
    private static func letsGo(_ context: CheckContext) throws(CheckStop) {
        var ways: [(String, CacheSetup, [CacheOperation])] = [("removeAll", CacheSetup(), [.removeAll])]
        if context.claims.claims(.touch) {
            let end: [CacheOperation] = [.touch(a, timeToLiveNanoseconds: 10), .advance(nanoseconds: 10)]
            ways.append(("let it expire", CacheSetup(), end))
        }
        if let claimed = context.claims.room, claimed.isAdjustable, claimed.units.contains(.objects) {
            let puts = (0..<64).map { CacheOperation.put(Array("other-\($0)".utf8), .bytes([1])) }
            ways.append(("put 64 others into a room for 4", CacheSetup(capacity: .objects(4)), puts))
        }
        for (words, setup, operations) in ways {
            let steps = ["put an object", words, "maintain", "look whether the object still exists"]
            let isKept = try context.withInstance(setup, steps: steps) { (instance) throws(CheckStop) -> Bool in
                guard let cache = instance as? any ObjectInstance else { throw .blocked(elsewhere) }
                return try context.expecting("no error", steps: steps) { () throws(StoreError) in
                    var object: Box? = Box(5)
                    let watch = Watch(object!)
                    try cache.put(object: object!, for: a)
                    for operation in operations + [.maintain] { _ = cache.perform(operation) }
                    object = nil
                    guard try cache.object(for: a) == nil else { return false }
                    return watch.box != nil
                }
            }
            try context.require(!isKept, observed: "it is kept although it has left", permitted: "none", steps: steps)
        }
    }

    private static func identity(in cache: any ObjectInstance, mustFind: Bool) throws(StoreError) -> String? {
        var objects: [Box?] = [Box(7), Box(7), Box(9)]
        let watches = objects.map { Watch($0!) }
        try cache.put(object: objects[0]!, for: a)
        for _ in 0..<2 {
            if let wrong = try wrong(cache, a, objects[0]!, mustFind) { return wrong + " after object 1 was put" }
        }
        try cache.put(object: objects[1]!, for: a)
        if let wrong = try wrong(cache, a, objects[1]!, mustFind) { return wrong + " after object 2 was put" }
        try cache.put(object: objects[2]!, for: b)
        if let wrong = try wrong(cache, b, objects[2]!, mustFind) { return wrong + " under b" }
        for key in [a, b] { _ = cache.perform(.remove(key)) }
        for key in [a, b] where try cache.object(for: key) != nil { return "an object under a removed key" }
        _ = cache.perform(.maintain)
        objects = [nil, nil, nil]
        let kept = watches.indices.filter { watches[$0].box != nil }.map { "object \($0 + 1)" }
        return kept.isEmpty ? nil : "\(kept.joined(separator: ", ")) kept although it was replaced or removed"
    }

    /// Something that does not keep what it looks at.
    private final class Watch {
        weak var box: Box?
        init(_ box: Box) { self.box = box }
    }

    private static func wrong(
        _ cache: any ObjectInstance, _ key: [UInt8], _ object: Box, _ mustFind: Bool
    ) throws(StoreError) -> String? {
        guard let found = try cache.object(for: key) else { return mustFind ? "no object" : nil }
        return found === object ? nil : "another object"
    }

    /// An object that asks the cache when its life ends.
    private final class Asking: Sendable {
        private weak let cache: (any ObjectInstance)?
        private let key: [UInt8]

        init(_ cache: any ObjectInstance, _ key: [UInt8]) { (self.cache, self.key) = (cache, key) }

        deinit { _ = cache?.perform(.get(key)) }
    }

    /// VAL-11.
    static func endsAsk(_ context: CheckContext) throws(CheckStop) {
        var ways: [[CacheOperation]] = [[.put(a, .bytes([1]))], [.remove(a)], [.removeAll]]
        if context.claims.claims(.touch) {
            ways.append([.touch(a, timeToLiveNanoseconds: 10), .advance(nanoseconds: 10), .get(a), .maintain])
        }
        if let claimed = context.claims.room, claimed.isAdjustable, claimed.units.contains(.objects) {
            ways.append((0..<8).map { CacheOperation.put(Array("other-\($0)".utf8), .bytes([1])) } + [.maintain])
        }
        for way in ways {
            let setup = way.count > 4 ? CacheSetup(capacity: .objects(4)) : CacheSetup()
            let steps = ["put an object whose deinit gets b, under a"] + way.map(\.description)
            let instance = try context.openPlain(setup, steps: steps)
            guard let cache = instance as? any ObjectInstance else { throw .blocked(elsewhere) }
            // One that waits for itself could not even be closed.
            try context.requireReturn(steps: steps) {
                try? cache.put(object: Asking(cache, b), for: a)
                for operation in way + [.close] { _ = cache.perform(operation) }
            }
        }
    }

    // MARK: Codable values

    /// VAL-6.
    static func extremes(_ context: CheckContext) throws(CheckStop) {
        let steps = ["put a value of the type", "get it as that type"]
        let complaints = try context.withInstance(steps: steps) { (instance) throws(CheckStop) -> [String] in
            guard let cache = instance as? any CodingInstance else { throw .blocked(elsewhere) }
            // Encoders work a level of the value by a few of the stack.
            return onLargeStack { wrongTrips(in: cache, context.claims) }
        }
        try context.require(
            complaints.isEmpty, observed: complaints.joined(separator: "; "),
            permitted: "an equal value, or 'valueRefused' by the put", steps: steps)
    }

    private static func wrongTrips(in cache: any CodingInstance, _ claims: Claims) -> [String] {
        let probe = Probe(cache: cache, key: a)
        let doubles = [
            0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1 + 0.2,
        ]
        let dates = [0, 0.123_456_789, -63_114_076_800, 64_092_211_200].map(Date.init(timeIntervalSinceReferenceDate:))
        var found = doubles.map { probe.trip(ExactDouble(value: $0), "the number \($0)") }
        found += [Int.min, Int.max, 1 << 53 + 1].map { probe.trip($0, "the integer \($0)") }
        found.append(probe.trip(UInt64.max, "the integer \(UInt64.max)"))
        found += dates.map { probe.trip($0, "the date \($0.timeIntervalSinceReferenceDate) s after 2001") }
        found.append(probe.trip(Int?.none, "the value nil"))
        found.append(probe.trip([1, nil, 3], "a list with nil in it"))
        found.append(probe.trip(Sparse(a: nil, b: 2), "a type whose first member is nil"))
        found.append(probe.trip([0.5: 1, -2.25: 2], "a dictionary with numbers as keys"))
        found.append(probe.trip("", "an empty text"))
        found.append(probe.trip("\u{0} \" \\ \u{2028} e\u{301} 👩‍👩‍👧", "a text of special characters"))
        found.append(probe.trip([UInt8](0...255), "256 bytes"))
        // Equal so deep that a comparison would end the process too: only what comes back is counted.
        found.append(probe.trip(Nested(depth: 2_000), "a value of 2000 levels"))
        return found.compactMap(\.self).filter { claims.retains || !$0.hasSuffix(Probe.missing) }
    }

    private struct Probe {
        static let missing = "is not found"
        let cache: any CodingInstance
        let key: [UInt8]

        /// What is wrong with a value that is put and read.
        func trip<Value: Codable & Sendable & Equatable>(_ value: Value, _ name: String) -> String? {
            do { try cache.put(coding: value, for: key) } catch {
                return error.code == .valueRefused ? nil : "\(name): the put threw \(error)"
            }
            do {
                guard let back = try cache.value(Value.self, for: key) else { return "\(name) \(Self.missing)" }
                return back == value ? nil : "\(name) is another one"
            } catch { return "\(name): the get threw \(error)" }
        }
    }

    private struct ExactDouble: Codable, Sendable, Equatable {
        var value: Double
        static func == (a: Self, b: Self) -> Bool { a.value == b.value || a.value.isNaN && b.value.isNaN }
    }

    private struct Sparse: Codable, Sendable, Equatable {
        var a: Int?
        var b: Int?
    }

    /// A chain of so many levels.
    private final class Nested: Codable, Sendable, Equatable {
        let inner: Nested?
        init(depth: Int) { inner = depth == 0 ? nil : Nested(depth: depth - 1) }

        private var depth: Int {
            var (depth, level) = (0, inner)
            while let next = level { (depth, level) = (depth + 1, next.inner) }
            return depth
        }

        static func == (a: Nested, b: Nested) -> Bool { a.depth == b.depth }
    }

    private static func onLargeStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let result = Mutex<Result?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            let made = body()
            result.withLock { $0 = made }
            isDone.signal()
        }
        thread.stackSize = 256 << 20
        thread.start()
        isDone.wait()
        return result.withLock { $0! }
    }

    /// VAL-7.
    static func confusion(_ context: CheckContext) throws(CheckStop) {
        let steps = [
            "put a number under a", "get it as text, as a list, as a type of two numbers", "get it as a number",
            "put a text under b", "get it as a number", "get it as a text",
        ]
        let complaint = try context.withInstance(steps: steps) { (instance) throws(CheckStop) -> String? in
            guard let cache = instance as? any CodingInstance else { throw .blocked(elsewhere) }
            return try context.expecting("no error of a put, or of a get of the value's own type", steps: steps) {
                () throws(StoreError) in try confusion(in: cache, mustFind: context.claims.retains)
            }
        }
        try context.require(
            complaint == nil, observed: complaint ?? "", permitted: "nil or an error for another type, and the value",
            steps: steps)
    }

    private static func confusion(in cache: any CodingInstance, mustFind: Bool) throws(StoreError) -> String? {
        try cache.put(coding: 5, for: a)
        try cache.put(coding: "five", for: b)
        let wrong: [Any?] = [
            (try? cache.value(String.self, for: a)) ?? nil, (try? cache.value([String].self, for: a)) ?? nil,
            (try? cache.value(Sparse.self, for: a)) ?? nil, (try? cache.value(Int.self, for: b)) ?? nil,
        ]
        if let found = wrong.compactMap(\.self).first { return "\(found), which is of another type" }
        let number = try cache.value(Int.self, for: a)
        let text = try cache.value(String.self, for: b)
        if number.map({ $0 != 5 }) ?? mustFind { return "\(number.map(String.init) ?? "nil") instead of 5" }
        if text.map({ $0 != "five" }) ?? mustFind { return "\(text ?? "nil") instead of a text" }
        return nil
    }
}
