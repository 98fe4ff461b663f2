import CacheCore
import CachePolicies
import CacheTraces
import Foundation
import Testing

@Suite("What the shop records is a trace of its cache")
struct ShopTests {
    @Test func `a replay of the recording hits what the cache hit`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = try Self.shop(folder.appending(path: "pages").path)
        let numbers = output.matches(of: /\d+/).compactMap { Int($0.output) }
        try #require(numbers.count == 4, "\(output)")
        let (recorded, lost, hits, misses) = (numbers[0], numbers[1], numbers[2], numbers[3])
        #expect(hits + misses == 200_000 && lost == 0 && recorded == 200_000 + misses)

        let store = TraceStore(directory: folder.appending(path: "store").path)
        let trace = try store.open(path: folder.appending(path: "pages-0000000001.recording").path)
        #expect(trace.requests == recorded)
        #expect(trace.notes == ["The recorded cache hit \(hits) of the 200000 reads whose outcome was recorded."])
        let lru = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        let configuration = PolicyConfiguration(
            capacity: .bytes(4 << 20), objects: trace.columns.objects,
            parameters: ParameterValues(defaults: lru.descriptor.parameters))
        let counts = try #require(try lru.simulate(trace.columns, configuration))
        #expect(counts.requests == 200_000)
        // The order of two threads is known as well as the counters of their processors agree.
        #expect(abs(counts.hits - hits) < 200)
    }

    /// What the program prints.
    private static func shop(_ path: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        // The program beside the test bundle.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "shop")
        process.arguments = [path]
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }
}
