import CacheCore
import CachePlugins
import Testing
import _CacheTestSupport

@Suite(
    "A backend of a plug-in that lies is told by name", .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct LyingBackendTests {
    private func open(_ lie: String) throws -> any StorageBackend {
        let entry = try Plugins.liars.get().backends[0]
        let values = try ParameterValues(
            parsing: "lie=\(lie),quiet", for: entry.descriptor.parameters, of: entry.descriptor.name)
        return try entry.open(directory: nil, parameters: values)
    }

    private func requireFailure(
        _ code: StoreError.Code, _ words: String, _ body: () throws -> Void
    ) throws {
        let error = try #require(#expect(throws: StoreError.self) { try body() })
        #expect(error.code == code)
        #expect(error.message.hasPrefix("the backend lying-store of \(try Plugins.liars.get().path) "))
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test func `is sound without a lie`() throws {
        let store = try open("none")
        #expect(store.claims.isConcurrent && store.claims.keyBytesMax == 64 && store.claims.durability == .volatile)
        try store.put(StoredEntry([1, 2, 3]), for: [9])
        #expect(try store.get([9]) == StoredEntry([1, 2, 3]))
        #expect(try store.keys() == [[9]] && store.count() == 1 && store.contains([9]))
        #expect(try store.get([8]) == nil)
        try store.flush()
        try store.close()
        try store.close()
        #expect(throws: StoreError.closed) { try store.get([9]) }
        #expect(throws: StoreError.closed) { try store.put(StoredEntry([]), for: []) }
        #expect(throws: StoreError.closed) { try store.remove([UInt8](repeating: 0, count: 65)) }
    }

    @Test func `keys and values beyond its claims do not reach it`() throws {
        let store = try open("none")
        let long = [UInt8](repeating: 7, count: 65)
        try store.put(StoredEntry([1]), for: [9])
        #expect(try store.get(long) == nil && !store.remove(long))
        #expect(throws: StoreError.self) { try store.put(StoredEntry([1]), for: long) }
        let error = #expect(throws: StoreError.self) { try store.put(StoredEntry(long), for: [9]) }
        #expect(error?.code == .valueRefused)
        #expect(try store.get([9]) == nil, "a refused value takes the old one with it")
    }

    @Test(
        arguments: [
            ("two", StoreError.Code.corrupt, "gives two entries for one get"),
            ("yes", .corrupt, "answers yes and gives no entry to get"),
            ("no", .corrupt, "answers no and gives an entry to get"),
            ("long", .corrupt, "has more bytes than it claims to take"),
            ("null", .corrupt, "gives an entry that is none"),
            ("odd", .inputOutput, "returned from get with code 2, which is none of Assay's"),
            ("corrupt", .corrupt, "returned from get with code -6, corrupt"),
            ("silent", .inputOutput, "code -99, which is none of Assay's"),
        ])
    func `at a get`(_ lie: String, _ code: StoreError.Code, _ words: String) throws {
        let store = try open(lie)
        try store.put(StoredEntry([1]), for: [9])
        try requireFailure(code, words) { _ = try store.get([9]) }
    }

    @Test func `at other calls`() throws {
        let full = try open("full")
        try requireFailure(.full, "returned from put with code -5, full: one entry is too many") {
            try full.put(StoredEntry([1]), for: [9])
        }
        let counting = try open("count")
        try requireFailure(.corrupt, "counts 18446744073709551615 entries") { _ = try counting.count() }
        let listing = try open("key")
        try listing.put(StoredEntry([1]), for: [9])
        try requireFailure(.corrupt, "gives a key that is none, or has more bytes") { _ = try listing.keys() }
        try requireFailure(.corrupt, "claims what this version of Assay does not know") { _ = try open("claims") }
        try requireFailure(.unavailable, "returned from open with code -7, unavailable: no such place") {
            _ = try open("open-fails")
        }
        let closing = try open("close-fails")
        try requireFailure(.inputOutput, "returned from close with code -4") { try closing.close() }
        try closing.close()
    }
}
