import CacheCore
import CachePolicies
import Testing

/// Coins and thresholds: what looks at one miss alone.
@Suite("Admission by chance, size and condition")
struct SimpleAdmissionTests {
    @Test(arguments: [0, 0.05, 0.5, 0.9, 1])
    func `the coin falls as often as it should`(_ probability: Double) throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let share = try admittedShare("probability:p=\(probability)", seed: seed)
            #expect(isPlausible(share, for: probability))
        }
    }

    @Test func `and a coin that is a little off is noticed`() throws {
        #expect(try !isPlausible(admittedShare("probability:p=0.53"), for: 0.5))
        #expect(try !isPlausible(admittedShare("probability:p=0.03"), for: 0.05))
    }

    @Test(arguments: [1, 10, 100, 1000])
    func `the coin of a size falls as the exponential says`(_ size: Int) throws {
        let share = try admittedShare("size-probability:exponent=0.01", size: size)
        #expect(isPlausible(share, for: PortableMath.exp(-0.01 * Double(size))))
        #expect(try !isPlausible(share, for: admittedShare("size-probability:exponent=0.02", size: size)) || size == 1)
    }

    @Test func `equal seeds give equal coins, others others`() throws {
        func coins(_ seed: UInt64) throws -> [Bool] {
            let gate = try openGate("probability", seed: seed)
            return (0..<64).map { _ in gate.admits(Request(id: 0), over: nil) }
        }
        #expect(try coins(1) == coins(1))
        #expect(try coins(1) != coins(2))
    }

    @Test func `the threshold lets in what is just as large`() throws {
        #expect(try outcomes("fifo+size:limit=2", capacity: 10, "abab", sizes: [2, 3]) == "a b a! b")
        // In objects too the size counts, not the weight.
        let gate = try openGate("size:limit=2", .objects(5))
        #expect(gate.admits(Request(id: 0, size: 2), over: nil))
        #expect(!gate.admits(Request(id: 0, size: 3), over: nil))
    }

    @Test(arguments: [
        ("size<10", [true, false, false]), ("size<=10", [true, true, false]), ("size>10", [false, false, true]),
        ("size>=10", [false, true, true]), ("size=10", [false, true, false]), ("size!=10", [true, false, true]),
        ("size>9&size<11", [false, true, false]), ("size<1e1", [true, false, false]),
    ])
    func `a condition holds as it is written`(_ text: String, _ expected: [Bool]) throws {
        let gate = try openGate("predicate:where=\(text)")
        #expect([9, 10, 11].map { gate.admits(Request(id: 0, size: $0), over: nil) } == expected)
    }

    @Test func `conditions see the cost, the time to live and the number of the object`() throws {
        var request = Request(id: 7, cost: 2.5)
        request.timeToLiveNanoseconds = 1_500_000_000
        func holds(_ text: String) throws -> Bool {
            try openGate("predicate:where=\(text)").admits(request, over: nil)
        }
        #expect(try holds("cost>2") && !holds("cost>2.5"))
        #expect(try holds("id=7") && !holds("id!=7"))
        #expect(try holds("ttl<=1.5") && !holds("ttl<1.5"))
        request.timeToLiveNanoseconds = 0
        #expect(try holds("ttl>1e300"))
    }

    @Test(arguments: ["", "size", "size~3", "size<", "weight<3", "size<3&", "size<x", "size==3", "size<nan", "<3"])
    func `what is no condition is refused, with how to write one`(_ text: String) throws {
        let refusal = #expect(throws: AssayError.self) { try openGate("predicate:where=\(text)") }
        let message = try #require(refusal?.message)
        #expect(message.contains("is not a condition") && message.contains("size, cost, ttl, id"))
    }

    /// Elsewhere what is larger than the cache is the policy's to refuse; a policy without a bound refuses nothing.
    @Test(arguments: [Capacity.bytes(1), .bytes(10), .bytes(1000), .objects(2)])
    func `an unbounded policy lets in what its filter does, however large`(_ capacity: Capacity) throws {
        let ids = (0..<60).map { UInt32($0 % 20) }
        let columns = TestTrace(ids: ids, sizes: ids.map { 1 + 7 * $0 }).columns
        #expect(try PolicyCall("infinite+probability:p=0").simulate(columns, capacity).hits == 0)
        #expect(try PolicyCall("infinite+size:limit=10").simulate(columns, capacity).hits == 4)
        #expect(try PolicyCall("infinite").simulate(columns, capacity).hits == 40)
    }

    @Test(arguments: [
        ("probability:p=1.5", "p is"), ("probability:p=-1", "p is"), ("size:limit=-1", "limit is"),
        ("size-probability:exponent=2", "exponent is"), ("second-hit:window=-1", "window is"),
        ("second-hit:false-positives=0", "false-positives is"),
        ("second-hit:false-positives=0.9", "false-positives is"),
        ("adaptsize:interval=99", "interval is"), ("adaptsize:iterations=0", "iterations is"),
        ("tinylfu:sample=0", "sample is"), ("tinylfu:dialect=java", "dialect is"),
        ("clairvoyant:p=1", "has no parameter 'p'"),
    ])
    func `a parameter out of range is refused with its range`(_ text: String, _ words: String) throws {
        let refusal = #expect(throws: AssayError.self) { try openGate(text) }
        #expect(refusal?.message.contains(words) == true)
    }

    @Test func `every admission policy describes itself`() {
        let names = BuiltinAdmissions.all.map(\.descriptor.name)
        #expect(names == names.sorted() && Set(names).count == names.count)
        #expect(!names.contains("always"))
        for descriptor in BuiltinAdmissions.all.map(\.descriptor) {
            #expect(descriptor.family == "admission" && descriptor.summary.hasSuffix("."))
        }
    }
}
