import CacheCore
import Foundation
import Testing
import _CacheTestSupport

/// Keeps the records that a format appends.
private struct RecordList: TraceSink {
    struct Found: Equatable {
        let key: UInt64
        let sizeBytes: UInt64?
    }

    var found: [Found] = []

    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) {
        found.append(Found(key: key, sizeBytes: attributes.sizeBytes))
    }

    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {
        Issue.record("no key of this format is bytes")
    }
}

@Suite("The examples in the documentation are these files, and they work")
struct DocumentedExampleTests {
    @Test(
        arguments: [
            ("WritingAnEvictionPolicy", "DocumentedPolicy"), ("WritingAnAdmissionPolicy", "DocumentedAdmission"),
            ("WritingAPrefetcher", "DocumentedPrefetcher"), ("WritingAStorageBackend", "DocumentedBackend"),
            ("WritingATraceFormat", "DocumentedFormat"),
            ("WritingAReport", "DocumentedReport"),
        ])
    func `the first example of each article is compiled here as it stands`(_ article: String, _ file: String) throws {
        let root = SharedFolder.packageRoot
        let text = try String(
            contentsOf: root.appending(path: "Sources/CacheCore/CacheCore.docc/\(article).md"), encoding: .utf8)
        let code = try String(
            contentsOf: root.appending(path: "Tests/CacheCoreTests/\(file).swift"), encoding: .utf8)
        #expect(text.contains("```swift\n\(code)```"))
    }

    @Test func `the documented policy evicts what was admitted last`() throws {
        let entry = PolicyEntry(unit: LIFOPolicy<UnitSizes>.self, bytes: LIFOPolicy<ByteSizes>.self)
        let policy = try entry.open(
            PolicyConfiguration(
                capacity: .objects(2), objects: ObjectSpace(count: 3), parameters: ParameterValues(defaults: [])))
        var victims = VictimList()
        for id in [0, 1, 2] as [ObjectID] { _ = policy.insert(Request(id: id), evicting: &victims) }
        #expect(victims.evicted == [1])
        #expect(policy.touch(Request(id: 0)) && policy.touch(Request(id: 2)))
    }

    @Test func `the documented admission policy lets every n-th miss in`() throws {
        let entry = AdmissionEntry(EveryNthAdmission.self)
        let parameters = try ParameterValues(parsing: "n=3", for: entry.descriptor.parameters, of: "mine")
        let gate = try entry.open(
            PolicyConfiguration(capacity: .objects(2), objects: ObjectSpace(count: 3), parameters: parameters))
        let answers = (0..<6).map { _ in gate.admits(Request(id: 0), over: nil) }
        #expect(answers == [false, false, true, false, false, true])
    }

    @Test func `the documented prefetcher fetches what followed the last time`() throws {
        let prefetcher = try PrefetcherEntry(LastSuccessorPrefetcher.self).open(
            PolicyConfiguration(
                capacity: .objects(2), objects: ObjectSpace(count: 3), parameters: ParameterValues(defaults: [])))
        for id in [0, 1, 0, 2, 0] as [ObjectID] { prefetcher.record(Request(id: id), isHit: false) }
        #expect(prefetcher.candidate(0, after: Request(id: 0)) == PrefetchCandidate(2))
        #expect(prefetcher.candidate(1, after: Request(id: 0)) == nil)
    }

    @Test func `the documented format reads keys and sizes, and refuses half a record`() throws {
        let format = PairTraceFormat(ParameterValues(defaults: []))
        let record: [UInt8] = [7, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]
        var records = RecordList()
        var input = ByteStream(name: "two", bytes: record + record)
        try format.read(&input, into: &records)
        #expect(records.found == Array(repeating: RecordList.Found(key: 263, sizeBytes: 9), count: 2))
        var cut = ByteStream(name: "cut", bytes: record + [1])
        let error = #expect(throws: AssayError.self) { try format.read(&cut, into: &records) }
        #expect(error?.code == .badInput && error?.location == AssayError.Location("cut", offsetBytes: 16))
    }

    @Test func `the documented report has a row for each combination, and the reason where there are no counts`() throws
    {
        func cell(_ policy: String) -> CellResult {
            CellResult(
                trace: "a|b", policy: policy, parameters: "", capacity: .objects(5), capacityRequested: "5%", seed: 1)
        }
        var (counted, failed) = (cell("lru"), cell("arc"))
        counted.counts = ReplayCounts()
        counted.counts?.hits = 3
        failed.failure = CellFailure(.notApplicable, "no meaning")
        let environment = EnvironmentDescription(
            operatingSystem: "", kernel: "", processor: "", processorCount: 1, memoryBytes: 1, build: "",
            timingAllocator: "", memoryAllocator: "")
        let results = RunResults(
            assayVersion: "", startedAt: "", durationSeconds: 0, commandLine: [], seed: 1, status: .complete,
            environment: environment, traces: [], cells: [counted, failed])
        let text = try MarkdownReport.entry.render(results)
        #expect(text.hasSuffix("| a\\|b | lru | 5% | 3 |\n| a\\|b | arc | 5% | no meaning |\n"))
    }

    @Test func `the documented backend stores, removes and closes`() throws {
        let backend = try BackendEntry(DictionaryBackend.self).open(directory: nil)
        try backend.put(StoredEntry([1, 2]), for: [9])
        #expect(try backend.get([9])?.value == [1, 2])
        #expect(try backend.remove([9]))
        #expect(try !backend.contains([9]))
        try backend.close()
        let error = #expect(throws: StoreError.self) { try backend.get([9]) }
        #expect(error?.code == .closed)
    }
}
