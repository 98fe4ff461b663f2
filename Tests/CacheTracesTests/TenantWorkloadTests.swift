import CacheCore
import Testing

@testable import CacheTraces

@Suite struct TenantWorkloadTests {
    private static let big = TenantWorkload(
        name: "big", share: 3, objects: 100, pattern: .zipf(exponent: 1), sizes: .fixed(10),
        operations: OperationMix(writes: 0.5))
    private static let small = TenantWorkload(name: "small", share: 1, objects: 20, pattern: .loop, sizes: .fixed(7))

    private static func specification(_ tenants: [TenantWorkload], objects: Int = 120) -> WorkloadSpecification {
        WorkloadSpecification(pattern: .tenants(tenants), requests: 8000, objects: objects, seed: 5)
    }

    @Test func `each tenant has its share, its objects, its sizes and its operations`() throws {
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(generated: Self.specification([Self.big, Self.small]))
        #expect(trace.tenantNames == ["big", "small"])
        let columns = trace.columns
        let tenants = try #require(columns.tenants)
        for position in columns.ids.indices {
            let key = try #require(trace.integerKey(of: columns.ids[position]))
            let request = columns.request(at: position)
            if tenants[position] == 0 {
                #expect(key < 100 && request.size == 10)
            } else {
                #expect((100..<120).contains(key) && request.size == 7)
                #expect(columns.operation(at: position) == .read)
            }
        }
        #expect(abs(tenants.count { $0 == 1 } - 2000) < 150)
        #expect(abs(columns.operationCounts.writes - 3000) < 200)
        let loop = columns.ids.indices.filter { tenants[$0] == 1 }.compactMap { trace.integerKey(of: columns.ids[$0]) }
        #expect(loop == loop.indices.map { UInt64(100 + $0 % 20) })
    }

    @Test func `a tenant that inserts has keys of its own`() throws {
        var inserting = Self.big
        inserting.operations = OperationMix(inserts: 0.5)
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(generated: Self.specification([inserting, Self.small]))
        let tenants = try #require(trace.columns.tenants)
        let keys = try trace.columns.ids.map { try #require(trace.integerKey(of: $0)) }
        #expect(keys.indices.allSatisfy { (tenants[$0] == 0) == (keys[$0] < 100 + 8000) })
        #expect(keys.contains { (1000..<8100).contains($0) })
    }

    static let faults: [(WorkloadSpecification, String)] = [
        (specification([big, small], objects: 121), "120 objects together"), (specification([]), "from 1 to 1000"),
        (specification([big, big], objects: 200), "same name"),
        (specification([big, TenantWorkload(name: "a\nb", share: 1, objects: 20, pattern: .loop)]), "control"),
        (specification([big, TenantWorkload(name: "x", share: 0, objects: 20, pattern: .loop)]), "share"),
        (
            specification([big, TenantWorkload(name: "x", share: 1, objects: 0, pattern: .loop)], objects: 100),
            "objects"
        ),
        (specification([big, TenantWorkload(name: "x", share: 1, objects: 20, pattern: .loop)]), "sizes"),
        (specification([TenantWorkload(name: "x", share: 1, objects: 120, pattern: .tenants([big]))]), "no tenants"),
    ]

    @Test(arguments: faults)
    func `faults are named`(specification: WorkloadSpecification, message: String) {
        let error = assayError { () throws(AssayError) in try specification.validate() }
        #expect(error?.code == .badInput && error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `operations of the specification must fit every tenant that has none`() {
        var specification = Self.specification([Self.big, Self.small])
        specification.operations = OperationMix(inserts: 0.1)
        let error = assayError { () throws(AssayError) in try specification.validate() }
        #expect(error?.message.contains("'small'") == true)
    }
}
