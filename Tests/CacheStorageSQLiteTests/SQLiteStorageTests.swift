import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorageSQLite

/// What is special about a database: damage, locks, permissions, claims.
@Suite("SQLite storage")
struct SQLiteStorageTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "assay-sqlite-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func open(_ path: String, _ parameters: String = "") throws -> SQLiteStorage {
        let values = try ParameterValues(parsing: parameters, for: SQLiteStorage.descriptor.parameters, of: "sqlite")
        return try SQLiteStorage(BackendConfiguration(directory: path, parameters: values))
    }

    /// A database with entries over several pages.
    private func fill(_ path: String) throws {
        let store = try open(path)
        for index in UInt8(0)..<100 { try store.put(StoredEntry([UInt8](repeating: index, count: 500)), for: [index]) }
        try store.close()
    }

    @Test func `a file that is no database is a typed error`() throws {
        try withDirectory { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data(repeating: 0x5A, count: 8_192).write(to: URL(filePath: path + "/cache.sqlite"))
            let error = #expect(throws: StoreError.self) { try open(path) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test(arguments: 0..<24)
    func `a database cut at any page or with a page overwritten answers or throws a typed error`(page: Int) throws {
        for isCut in [true, false] {
            try withDirectory { path in
                try fill(path)
                let file = URL(filePath: path + "/cache.sqlite")
                var data = try Data(contentsOf: file)
                let start = min(data.count, page * 4_096)
                if isCut {
                    data = data.prefix(start + 100)
                } else {
                    for index in start..<min(data.count, start + 4_096) {
                        data[index] = UInt8(truncatingIfNeeded: index &* 31)
                    }
                }
                try data.write(to: file)
                var codes: Set<StoreError.Code> = []
                do throws(StoreError) {
                    let store = try StoreError.typed { try open(path) }
                    for index in UInt8(0)..<100 {
                        do throws(StoreError) { _ = try store.get([index]) } catch { codes.insert(error.code) }
                    }
                    do throws(StoreError) { _ = try store.keys() } catch { codes.insert(error.code) }
                    do throws(StoreError) { try store.put(StoredEntry([1]), for: [200]) } catch {
                        codes.insert(error.code)
                    }
                    try store.close()
                } catch { codes.insert(error.code) }
                #expect(codes.isSubset(of: [.corrupt, .inputOutput]))
            }
        }
    }

    /// What an earlier version wrote: three entries without checksums, in pages of 512 bytes.
    private static let unsealed: [Int: String] = [
        0: "U1FMaXRlIGZvcm1hdCAzAAIAAgIAQCAgAAAAAgAAAAIAAAAAAAAAAAAAAAEAAAAEAAAAAAAAAAAAAAAB",
        95: "AgAuYwENAAAAAQF6AAF6",
        378: "gQMBBxcbGwGBXXRhYmxlZW50cmllc2VudHJpZXMCQ1JFQVRFIFRBQkxFIGVudHJpZXMKKGtleSBCTE9CIFBSSU1BUlkgS0VZ"
            + "IE5PVCBOVUxMLCB2YWx1ZSBCTE9CIE5PVCBOVUxMLCBleHBpcmVzIElOVEVHRVIpIFdJVEhPVVQgUk9XSUQKAAAAAwHoAAH5"
            + "AfIB6A==",
        1000: "CQQOEgECBwcH+wYEDgwBAU0GBAwQAAEC",
    ]

    private static func withoutChecksums() throws -> Data {
        var data = Data(count: 1024)
        for (place, text) in unsealed {
            let bytes = try #require(Data(base64Encoded: text))
            data.replaceSubrange(place..<place + bytes.count, with: bytes)
        }
        return data
    }

    @Test func `a database without checksums is brought to one with them, with every entry`() throws {
        try withDirectory { path in
            let data = try Self.withoutChecksums()
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try data.write(to: URL(filePath: path + "/cache.sqlite"))
            for _ in 1...2 {
                let store = try open(path)
                #expect(try store.get([]) == StoredEntry([1, 2]))
                #expect(try store.get([1]) == StoredEntry([], expiresAtNanoseconds: 77))
                #expect(try store.get([2]) == StoredEntry([7, 7, 7], expiresAtNanoseconds: -5))
                #expect(try store.keys() == [[], [1], [2]])
                try store.close()
            }
        }
    }

    /// What the damage makes of the types of the last row: a value of NULL or a number, a key of NULL, an expiry of text.
    @Test(arguments: [[0x0E, 0x00, 0x04], [0x0E, 0x03, 0x01], [0x00, 0x14, 0x01], [0x0E, 0x12, 0x0F]] as [[UInt8]])
    func `a damaged row of a database without checksums is dropped, and the others stay`(types: [UInt8]) throws {
        try withDirectory { path in
            var data = try Self.withoutChecksums()
            data.replaceSubrange(1002..<1005, with: types)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try data.write(to: URL(filePath: path + "/cache.sqlite"))
            let store = try open(path)
            #expect(try store.get([1]) == StoredEntry([], expiresAtNanoseconds: 77))
            #expect(try store.keys() == [[], [1]])
            try store.close()
        }
    }

    @Test(arguments: StoreDamage.Kind.allCases)
    func `no damage to the database gives wrong bytes`(kind: StoreDamage.Kind) throws {
        let damage = StoreDamage(stride: 3) { try open($0) }
        let outcome = try damage.run(kind)
        #expect(outcome.problems == [])
        #expect(outcome.corrupt + outcome.absent + outcome.unopened > 0)
        #expect(outcome.whole > 0)
    }

    @Test func `nobody is told to delete a database`() {
        for code in Int32(0)..<101 {
            #expect(!SQLiteFailure.error(code, connection: nil).message.contains("delete"))
        }
    }

    @Test func `a second store in the same directory is refused`() throws {
        try withDirectory { path in
            let store = try open(path)
            try store.put(StoredEntry([1]), for: [1])
            let error = #expect(throws: StoreError.self) { try open(path) }
            #expect(error?.code == .unavailable)
            try store.close()
            #expect(try open(path).get([1]) == StoredEntry([1]))
        }
    }

    @Test func `a database that cannot be opened has the system's error number`() throws {
        try withDirectory { path in
            try FileManager.default.createDirectory(
                atPath: path + "/cache.sqlite", withIntermediateDirectories: true)
            let error = #expect(throws: StoreError.self) { try open(path) }
            #expect(error?.code == .unavailable && error?.errno == EISDIR)
        }
    }

    @Test func `a place that cannot be used is a typed error`() {
        for path in ["/proc/nowhere", "/dev/null/store"] {
            let error = #expect(throws: StoreError.self) { try open(path) }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `claims follow the parameters`() throws {
        try withDirectory { path in
            for (word, level) in [("off", DurabilityLevel.kill), ("normal", .kill), ("full", .power)] {
                let store = try open("\(path)/\(word)", "synchronous=\(word),value-bytes-max=10")
                #expect(store.claims.durability == level)
                #expect(store.claims.valueBytesMax == 10)
            }
        }
    }

    @Test func `hundreds of stores can be open together`() throws {
        try withDirectory { path in
            let stores = try (0..<200).map { try open("\(path)/\($0)") }
            for (index, store) in stores.enumerated() { try store.put(StoredEntry([UInt8(index)]), for: [1]) }
            for (index, store) in stores.enumerated() { #expect(try store.get([1]) == StoredEntry([UInt8(index)])) }
        }
    }
}

extension StoreError {
    /// Runs a body that throws nothing but storage errors.
    static func typed<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do { return try body() } catch {
            throw error as? StoreError ?? StoreError(.inputOutput, "untyped \(error)")
        }
    }
}
