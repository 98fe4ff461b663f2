import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheTraces

/// The `assay` format: what is written is read again, and what is damaged is refused.
@Suite struct AssayTraceFormatTests {
    @Test(arguments: 0..<64)
    func `requests with any attributes are read as they were written`(_ attributes: Int) throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: attributes, requests: 300, seed: UInt64(attributes))
        let path = folder.path + "/x.assay"
        try AssayTraceWriter().write(trace, to: path)
        let read = try folder.store.open(path: path)
        #expect(read.formatDescription == "assay")
        #expect(read.contentDigest == trace.contentDigest)
        #expect(read.tenantNameBytes == trace.tenantNameBytes)
    }

    @Test func `requests of several blocks are read as they were written`() throws {
        let folder = try TemporaryFolder()
        let specification = WorkloadSpecification(
            pattern: .zipf(exponent: 0.7), requests: 150_000, objects: 40_000,
            sizes: .uniform(minimum: 1, maximum: 1 << 31))
        let trace = try folder.store.open(generated: specification)
        let path = folder.path + "/x.assay"
        try AssayTraceWriter().write(trace, to: path)
        #expect(try folder.store.open(path: path).contentDigest == trace.contentDigest)
    }

    @Test func `a block ends before its keys have too many bytes`() throws {
        let folder = try TemporaryFolder()
        let keys = (0..<40).map { String(repeating: "k", count: 1_000_000) + "\($0)" }
        let trace = try folder.store.open(path: folder.write("x.txt", Array(keys.joined(separator: "\n").utf8)))
        let path = folder.path + "/x.assay"
        try AssayTraceWriter().write(trace, to: path)
        #expect(try folder.store.open(path: path).contentDigest == trace.contentDigest)
    }

    @Test(arguments: [true, false])
    func `a key and a name that no reader would take are refused`(_ isKey: Bool) throws {
        let folder = try TemporaryFolder()
        let long = [UInt8](repeating: 0x78, count: 1 << 24)
        var compiler = try TraceCompiler(temporary: folder.path + "/made")
        let tenant = try (isKey ? [1] : long).withUnsafeBytes { try compiler.tenant(named: $0) }
        try compiler.append(TraceRecord(.bytes(isKey ? long : [1]), RequestAttributes(tenant: tenant)))
        let name = folder.path + "/made.trace"
        try compiler.finish(as: name, digest: "x", sourceDigest: "x", formatDescription: "x")
        let map = try MappedFile(PosixFile(reading: name))
        let header = try #require(map.withBytes(CompiledTraceHeader.init(decoding:)))
        let trace = CompiledTrace(CompiledColumns(map, header), path: name)
        let error = assayError { () throws(AssayError) in
            try AssayTraceWriter().write(trace, to: folder.path + "/x.assay")
        }
        #expect(error?.code == .unavailable)
    }

    @Test func `each byte that is wrong and each missing end is refused`() throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: 63, requests: 40, seed: 5)
        let path = folder.path + "/x.assay"
        try AssayTraceWriter().write(trace, to: path)
        let whole = Array(try Data(contentsOf: URL(filePath: path)))
        #expect(throws: Never.self) { try records("assay", whole) }
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x10
            let isRefused = assayError { () throws(AssayError) in _ = try records("assay", damaged) }?.code == .badInput
            #expect(isRefused, "byte \(index)")
        }
        for length in whole.indices {
            let error = assayError { () throws(AssayError) in _ = try records("assay", Array(whole[..<length])) }
            #expect(error?.code == .badInput, "\(length) bytes")
        }
        let error = assayError { () throws(AssayError) in _ = try records("assay", whole + [0]) }
        #expect(error?.message.contains("follow the end") == true)
    }

    /// With checksums that are right, so that what a block says reaches the code that reads it.
    @Test func `no block traps, whatever it holds`() throws {
        let folder = try TemporaryFolder()
        let trace = try SmallTraces.make(in: folder, attributes: 63, requests: 40, seed: 6)
        let path = folder.path + "/x.assay"
        try AssayTraceWriter().write(trace, to: path)
        let whole = Array(try Data(contentsOf: URL(filePath: path)))
        var random = SeededGenerator(seed: 1)
        var (refused, read) = (0, 0)
        for _ in 0..<4000 {
            var damaged = whole
            for _ in 0...random.next() % 3 {
                let index =
                    AssayTraceLayout.headerBytes
                    + Int(random.next() % UInt64(whole.count - AssayTraceLayout.headerBytes))
                damaged[index] = UInt8(truncatingIfNeeded: random.next())
            }
            Self.mendChecksums(&damaged)
            let error = assayError { () throws(AssayError) in _ = try records("assay", damaged) }
            if let error {
                #expect(error.code == .badInput)
                refused += 1
            } else {
                read += 1
            }
        }
        #expect(refused > 1000 && read > 0)
    }

    /// Writes the checksum of each block anew, as far as the lengths in their headers go.
    private static func mendChecksums(_ bytes: inout [UInt8]) {
        var start = AssayTraceLayout.headerBytes
        while start + AssayTraceLayout.blockHeaderBytes <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[start + 12 + $1]) << (8 * $1) }
            let end = start + AssayTraceLayout.blockHeaderBytes + length
            guard end + AssayTraceLayout.checksumBytes <= bytes.count else { return }
            let sum = AssayTraceLayout.bytes(AssayTraceLayout.checksum(Array(bytes[start..<end])))
            bytes.replaceSubrange(end..<end + sum.count, with: sum)
            start = end + sum.count
        }
    }

    @Test(arguments: NumberLayout.allCases)
    func `numbers are read in the layout in which they were written`(_ layout: NumberLayout) {
        var random = SeededGenerator(seed: 3)
        for count in [0, 1, 2, 255, 256, 257, 3000] {
            for bits in [0, 1, 7, 8, 33, 64] {
                let numbers = (0..<count).map { _ in bits == 0 ? 0 : random.next() >> UInt64(64 - bits) }
                let bytes = layout.encode(numbers)
                #expect(layout.decode(bytes, count: count) == numbers)
                #expect(layout.decode(bytes + [0], count: count) == nil)
                if count > 0 { #expect(layout.decode(Array(bytes.dropLast()), count: count) == nil) }
                // Numbers that are all equal may need no bytes.
                let isTooShort =
                    numbers.allSatisfy { $0 == numbers.first } || layout.decode(bytes, count: count + 1) == nil
                #expect(isTooShort)
            }
        }
    }

    @Test func `differences wrap`() {
        for (value, base) in [(0, UInt64.max), (UInt64.max, 0), (1 << 63, 0), (5, 5), (3, 7)] {
            #expect(NumberTransform.value(NumberTransform.difference(value, base), base) == value)
        }
        #expect(NumberTransform.difference(4, 5) == 1)
        #expect(NumberTransform.difference(6, 5) == 2)
    }
}

/// Small traces with any of the attributes that there are.
enum SmallTraces {
    /// A trace of random requests; each bit of `attributes` is one of `TraceAttribute.allCases`.
    static func make(
        in folder: TemporaryFolder, attributes: Int, requests: Int, seed: UInt64, textKeys: Bool = true
    ) throws -> CompiledTrace {
        var builder = try TraceCompiler(temporary: folder.path + "/made-\(UUID())")
        var random = SeededGenerator(seed: seed)
        let stated = Set(
            TraceAttribute.allCases.enumerated().filter { attributes & 1 << $0.offset != 0 }.map(\.element))
        var time: Int64 = -5_000_000_000
        for _ in 0..<requests {
            var request = RequestAttributes()
            let object = random.next() % 50
            if stated.contains(.sizes) { request.sizeBytes = random.next() % 9 == 0 ? 1 << 33 : object * 10 }
            if stated.contains(.times) {
                time += Int64(random.next() % 3) * 500_000_001
                request.timeNanoseconds = time
            }
            if stated.contains(.timesToLive), random.next() % 3 > 0 {
                request.timeToLiveNanoseconds = Int64(1 + random.next() % 5) * 1_500_000_000
            }
            if stated.contains(.costs) { request.cost = Double(random.next() % 100) / 7 }
            if stated.contains(.operations) { request.operation = TraceOperation(rawValue: UInt8(random.next() % 3)) }
            if stated.contains(.tenants) {
                request.tenant = try tenants[Int(random.next() % 3)].withUnsafeBytes { try builder.tenant(named: $0) }
            }
            if textKeys, object % 3 == 0 {
                try builder.append(TraceRecord(.bytes(Array("key, \"\(object)\"\u{E9}".utf8) + [0xff]), request))
            } else {
                try builder.append(TraceRecord(.integer(object == 1 ? .max : object), request))
            }
        }
        let name = folder.path + "/made-\(UUID()).trace"
        try builder.finish(as: name, digest: "made", sourceDigest: "made", formatDescription: "made")
        let map = try MappedFile(PosixFile(reading: name))
        let header = try #require(map.withBytes(CompiledTraceHeader.init(decoding:)))
        return CompiledTrace(CompiledColumns(map, header), path: name)
    }

    private static let tenants = [Array("web".utf8), Array("batch, \"x\"".utf8), [0x00, 0xfe]]
}
