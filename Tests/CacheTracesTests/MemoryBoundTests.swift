import CacheCore
import Foundation
import Testing

@testable import CacheTraces

#if canImport(Glibc)
    import Glibc
#endif

/// The memory that compiling a trace takes, against the bound that ``TraceStore`` states.
///
/// Each trace is read in a process of its own whose data may grow by the bound alone: the system refuses what is more. The limit is on
/// data and not on addresses, because compiled traces are mapped.
@Suite("Memory of reading", .enabled(if: DataLimit.isEnforced, "this system has no limit on a process's data"))
struct MemoryBoundTests {
    /// Compiles one file over and over as one trace of many times the bound.
    @Test(arguments: ["oracle-general", "csv:key=1,size=2"])
    func `a trace much larger than the bound is compiled within it`(_ format: String) async {
        await #expect(processExitsWith: .success) { [format = format as String] in
            let folder = try TemporaryFolder()
            var content: [UInt8] = []
            while content.count < 4 << 20 {
                let key = content.count % 5000
                content +=
                    format == "oracle-general"
                    ? oracleRecord(time: 0, key: UInt64(key), size: 64, next: 1)
                    : Array("object \(key),64\n".utf8)
            }
            let path = try folder.write("x", content)
            let copies = 2 * TraceStore.memoryBytesMax / content.count
            try DataLimit.allow(TraceStore.memoryBytesMax)
            let trace = try folder.store.open(paths: Array(repeating: path, count: copies), format: format)
            #expect(trace.requests > 1 << 21)
            #expect(trace.objects <= 5000)
        }
    }

    /// Keys so long that a few thousand would fill the memory.
    @Test func `long keys that come again take no more`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let keys = (0..<4).map { String(repeating: "\($0)", count: 1 << 20) + "\n" }
            let path = try folder.write("x", Array(keys.joined().utf8))
            try DataLimit.allow(TraceStore.memoryBytesMax)
            let trace = try folder.store.open(paths: Array(repeating: path, count: 40), format: "plain")
            #expect((trace.requests, trace.objects) == (160, 4))
        }
    }

    /// What the limit is worth: the same allocation fails that an unbounded reader would make.
    @Test func `the limit refuses what is more`() async {
        await #expect(processExitsWith: .success) {
            #if canImport(Glibc)
                try DataLimit.allow(TraceStore.memoryBytesMax)
                #expect(malloc(2 * TraceStore.memoryBytesMax) == nil)
            #endif
        }
    }
}

/// The system's limit on the data of this process.
private enum DataLimit {
    static var isEnforced: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Lets the data grow by so many bytes from now on.
    static func allow(_ bytes: Int) throws {
        #if canImport(Glibc)
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmData:") })
            let kilobytes = try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) })
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
            limit.rlim_cur = rlim_t(kilobytes * 1024 + bytes)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0)
        #endif
    }
}
