import CMemoryProbe
import CacheCore
import CachePolicies
import Foundation
import Testing

/// The bytes that each policy says it takes, against the bytes that it allocates.
///
/// Each test measures in a process of its own, because the C library's count is that of the whole process.
@Suite("Memory of policies", .enabled(if: PolicyMemory.isMeasurable, "this C library has no count of bytes in use"))
struct MemoryCostTests {
    @Test func `each policy takes what it states`() async {
        await #expect(processExitsWith: .success) {
            for entry in BuiltinPolicies.all where !entry.isBound {
                guard let stated = entry.descriptor.memory else {
                    let line = try PolicyMemory.line(for: entry)
                    Issue.record("\(entry.descriptor.name) states no memory. Add to its descriptor: \(line)")
                    continue
                }
                for unit in [Capacity.Unit.objects, .bytes] where entry.isApplicable(to: unit) {
                    // Whatever else the process does can spoil a measurement, though hardly three in the same way.
                    var complaints: [String] = []
                    for _ in 0..<3 {
                        complaints = try PolicyMemory(of: entry, unit).complaints(about: stated)
                        if complaints.isEmpty { break }
                    }
                    #expect(complaints.isEmpty, "\(entry.descriptor.name) in \(unit): \(complaints)")
                }
            }
        }
    }

    @Test(arguments: ["lru", "arc", "lirs"])
    func `the line that is printed for a policy that states nothing is right`(_ name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
            let line = try PolicyMemory.line(for: entry)
            let stated = try #require(PolicyMemory.read(line), "\(line)")
            for unit in [Capacity.Unit.objects, .bytes] {
                let complaints = try PolicyMemory(of: entry, unit).complaints(about: stated)
                #expect(complaints.isEmpty, "\(name) in \(unit) with \(line): \(complaints)")
            }
        }
    }

    @Test func `a wrong statement is noticed`() async {
        await #expect(processExitsWith: .success) {
            for (name, wrong) in [
                ("lirs", MemoryCost(perObject: 5, perResident: 28, perGhost: 28, ghosts: 2)),
                ("lirs", MemoryCost(perObject: 4, perResident: 28, perGhost: 28, ghosts: 1)),
                ("lirs", MemoryCost(perObject: 4, perResident: 34, perGhost: 28, ghosts: 2)),
                ("lfu", MemoryCost(perObject: 4, perResident: 40)),
                ("lhd", MemoryCost(perObject: 4, perResident: 16)),
                ("lru", MemoryCost(perObject: 4, perResident: 21.25, fixed: 20_000)),
            ] {
                let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
                let complaints = try PolicyMemory(of: entry, .objects).complaints(about: wrong)
                #expect(!complaints.isEmpty, "\(name) with \(wrong.text(inBytesToo: false))")
            }
        }
    }

    @Test(arguments: BuiltinPolicies.all.filter(\.isBound).map(\.descriptor.name))
    func `each bound takes what it states`(_ name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
            let stated = try #require(entry.descriptor.memory, "\(name) states no memory")
            // Just above a power of two, as for policies.
            let columns = TestTrace(ids: (0..<(1 << 17) + 1).map { $0 % 1000 * ($0 % 7) % 1000 }).columns
            _ = assay_libc_count_closely()
            let before = PolicyMemory.reserved()
            _ = try PolicyCall(name).simulate(columns, .objects(100))
            let measured = Double(PolicyMemory.reserved() - before) / Double(columns.ids.count)
            // What a sort gives back is used again, or not, as the allocator has placed it.
            let isRight = measured <= stated.perRequest * 1.1 && measured >= stated.perRequest * 0.75
            #expect(isRight, "\(measured) bytes a request")
        }
    }

    /// A trace whose columns are so long that the C library takes each from the system by itself and gives it back.
    @Test func `a whole trace takes what it states of the policies that replay it by themselves`() async {
        await #expect(processExitsWith: .success) {
            let columns = TestTrace(ids: (0..<(1 << 24) + 1).map { $0 % 1000 * ($0 % 7) % 1000 }).columns
            _ = assay_libc_count_closely()
            for name in BuiltinPolicies.all.filter({ !$0.isBound && ($0.descriptor.memory?.perRequest ?? 0) != 0 }) {
                let stated = try #require(name.descriptor.memory).perRequest
                let before = PolicyMemory.reserved()
                _ = try PolicyCall(name.descriptor.name).simulate(columns, .objects(100))
                let measured = Double(PolicyMemory.reserved() - before) / Double(columns.ids.count)
                #expect(abs(measured - stated) <= stated / 10, "\(name.descriptor.name): \(measured) bytes a request")
            }
        }
    }

    @Test func `reads as a sentence's end`() {
        let cost = MemoryCost(perObject: 4, perResident: 12.75, perGhost: 16, ghosts: 0.9, fixed: 4700)
        let text = "4 an object of the trace, 12.75 a resident (20.75 with sizes), 16 a ghost (24 with sizes)"
        #expect(cost.text(inBytesToo: true) == text + ", 0.9 ghosts a resident, 5 KB in all")
        #expect(MemoryCost(perObject: 1, perResident: 0).text(inBytesToo: false) == "1 an object of the trace")
        let whole = MemoryCost(perObject: 2, perResident: 0, perRequest: 0.5).text(inBytesToo: false)
        #expect(whole == "2 an object of the trace; 0.5 a request and no more to replay a trace in objects")
    }
}

/// What the buffers of a policy grow by with each object of the trace and of the capacity, and what is left over.
struct PolicyMemory {
    let unit: Capacity.Unit
    let perObject: Double
    let perCapacity: Double
    let fixed: Double

    /// Just above powers of two, where tables whose length is one are at their worst; and large enough for most
    /// buffers not to come from what the allocator keeps for its threads.
    private static let (fewResidents, manyResidents) = (1025, 2049)
    /// More than the residents and the most ghosts that a policy keeps of them.
    private static let (fewObjects, manyObjects) = (20_000, 40_000)

    static var isMeasurable: Bool { allocated() > 0 }

    init(of entry: PolicyEntry, _ unit: Capacity.Unit) throws {
        _ = assay_libc_count_closely()
        let base = try Self.bytes(entry, Self.fewObjects, Capacity(Self.fewResidents, unit))
        let wider = try Self.bytes(entry, Self.manyObjects, Capacity(Self.fewResidents, unit))
        let fuller = try Self.bytes(entry, Self.fewObjects, Capacity(Self.manyResidents, unit))
        self.unit = unit
        perObject = Double(wider - base) / Double(Self.manyObjects - Self.fewObjects)
        perCapacity = Double(fuller - base) / Double(Self.manyResidents - Self.fewResidents)
        fixed = Double(base) - perObject * Double(Self.fewObjects) - perCapacity * Double(Self.fewResidents)
    }

    /// What the descriptor of a policy that states nothing should say, as it is written there.
    static func line(for entry: PolicyEntry) throws -> String {
        let ghosts = entry.needsFuture || entry.descriptor.isUnbounded ? 0 : try GhostCountTests.ghosts(of: entry)
        func text(_ value: Double) -> String { String(format: "%g", (value * 4).rounded() / 4) }
        func rate(_ memory: PolicyMemory) -> Double { max(0, memory.perCapacity / (1 + ghosts)) }
        let objects = try PolicyMemory(of: entry, .objects)
        var parts = ["perObject: \(text(objects.perObject))", "perResident: \(text(rate(objects)))"]
        if ghosts > 0 { parts += ["perGhost: \(text(rate(objects)))", "ghosts: \(ghosts)"] }
        if objects.fixed > 1024 { parts.append("fixed: \(Int(objects.fixed))") }
        if entry.isApplicable(to: .bytes) {
            let bytes = try PolicyMemory(of: entry, .bytes)
            let plain = MemoryCost(
                perObject: objects.perObject, perResident: rate(objects), perGhost: rate(objects), ghosts: ghosts)
            if !bytes.complaints(about: plain).isEmpty {
                parts += ["perObjectInBytes: \(text(bytes.perObject))", "perResidentInBytes: \(text(rate(bytes)))"]
                if ghosts > 0 { parts.append("perGhostInBytes: \(text(rate(bytes)))") }
            }
        }
        return "memory: MemoryCost(\(parts.joined(separator: ", ")))"
    }

    /// The cost that such a line states.
    static func read(_ line: String) -> MemoryCost? {
        var values: [String: Double] = [:]
        for match in line.matches(of: /(\w+): ([0-9.]+)/) { values[String(match.1)] = Double(match.2) }
        guard let perObject = values["perObject"], let perResident = values["perResident"] else { return nil }
        return MemoryCost(
            perObject: perObject, perResident: perResident, perGhost: values["perGhost"] ?? 0,
            ghosts: values["ghosts"] ?? 0, fixed: Int(values["fixed"] ?? 0),
            perObjectInBytes: values["perObjectInBytes"],
            perResidentInBytes: values["perResidentInBytes"], perGhostInBytes: values["perGhostInBytes"])
    }

    /// Where a statement is off by more than a twentieth, or a quarter of a byte an object, or a byte a resident: the
    /// allocator rounds each buffer, and serves small ones from what it has counted already. What is taken whatever the
    /// capacity is stated as a maximum, and counts from a kilobyte on.
    func complaints(about stated: MemoryCost) -> [String] {
        func isNear(_ stated: Double, _ measured: Double, within least: Double) -> Bool {
            abs(stated - measured) <= max(least, stated / 20)
        }
        var complaints: [String] = []
        if !isNear(stated.rates(in: unit).perObject, perObject, within: 0.25) {
            complaints.append("\(perObject) an object")
        }
        if !isNear(stated.perCapacity(in: unit), perCapacity, within: 1) {
            complaints.append("\(perCapacity) a resident instead of \(stated.perCapacity(in: unit))")
        }
        if fixed > Double(stated.fixed) + 1024 || fixed + 1024 < Double(stated.fixed) / 2 {
            complaints.append("\(fixed) bytes besides")
        }
        return complaints
    }

    /// The bytes that a policy has allocated after every object was asked for, some of them again.
    private static func bytes(_ entry: PolicyEntry, _ objects: Int, _ capacity: Capacity) throws -> Int {
        let call = try PolicyCall(entry.descriptor.name)
        let before = allocated()
        let policy = try call.open(capacity, ObjectSpace(count: objects, smallestSize: 1))
        drive(policy, objects)
        let during = allocated()
        return withExtendedLifetime(policy) { during - before }
    }

    private static func drive(_ policy: any SteppedPolicy, _ objects: Int) {
        var victims = VictimList()
        for index in 0..<objects * 5 / 4 {
            // Each fifth request is for an object that was asked for lately.
            let id = index % 5 == 4 ? max(0, index * 4 / 5 - index % 700) : index * 4 / 5
            let request = Request(id: ObjectID(id), index: index)
            if !policy.touch(request) { _ = policy.insert(request, evicting: &victims) }
            victims.clear()
        }
    }

    private static func allocated() -> Int {
        var bytes: UInt64 = 0
        return assay_libc_allocated(&bytes) == 0 ? 0 : Int(bytes)
    }

    /// The bytes that the C library has had from the system: it gives none back, so this is a mark of the most in use.
    static func reserved() -> Int {
        var bytes: UInt64 = 0
        return assay_libc_reserved(&bytes) == 0 ? 0 : Int(bytes)
    }
}
