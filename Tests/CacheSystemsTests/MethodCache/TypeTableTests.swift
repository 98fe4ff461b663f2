import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("Every type that can be a result comes back as itself; what cannot be one does not compile")
struct TypeTableTests {
    /// One row of the table: what a function returns, and whether it was called once and came back both times.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let holds: @Sendable () throws -> Bool
        var testDescription: String { name }

        /// A value that is given and taken as an argument too.
        init<Value: Hashable & Sendable>(_ value: Value) {
            self.init("\(Value.self)", value, { $0 == $1 })
        }

        init<Value: Sendable>(_ name: String, _ value: Value, _ equal: @escaping @Sendable (Value, Value) -> Bool) {
            self.name = name
            holds = {
                let calls = Counter()
                let f = try MemoizedFunctionTests.make().memoize { (_: Int) in
                    calls.add()
                    return value
                }
                return equal(f(1), value) && equal(f(1), value) && calls.count == 1
            }
        }
    }

    final class Object: Sendable {}
    enum Choice: Hashable { case first, second(Int) }
    struct Point: Hashable { var x = 1.5, y = -2.0 }

    static let rows: [Row] = [
        Row(Int8(-1)), Row(Int16(-2)), Row(Int32(-3)), Row(Int64.min), Row(Int(-5)), Row(UInt8.max), Row(UInt16.max),
        Row(UInt32.max), Row(UInt64.max), Row(UInt.max), Row(Int128.max), Row(Float(0.1)), Row(Double.pi), Row(true),
        Row(false), Row("text"), Row(Character("é")), Row(Optional<Int>.none), Row([1, 2]), Row(["k": 1]),
        Row(Set([1])),
        Row(Choice.second(2)), Row(Point()), Row(Data([1, 2])), Row(Date(timeIntervalSince1970: 5)),
        Row(Arguments(1, "a")),
        Row("tuple", (1, "a"), { $0.0 == $1.0 && $0.1 == $1.1 }),
        Row("object", Object(), { $0 === $1 }),
        Row("metatype", Int.self, { $0 == $1 }),
        Row("function", { @Sendable in 7 }, { $0() == $1() }),
        Row("inline array", [1, 2, 3] as InlineArray<3, Int>, { $0[0] == $1[0] && $0[2] == $1[2] }),
    ]

    @Test(arguments: rows)
    func `a result is computed once and comes back as itself`(_ row: Row) throws { #expect(try row.holds()) }

    #if os(Linux)
        /// What must not compile, and what the compiler says of it.
        static let refused: [(code: String, reason: String)] = [
            ("final class Box { var a = 1 }; let f = cache.memoize { (_: Int) -> Box in Box() }", "Sendable"),
            ("final class Box: Sendable {}; let f = cache.memoize { (_: Box) in 1 }", "Hashable"),
            ("struct One: ~Copyable {}; let f = cache.memoize { (_: Int) -> One in One() }", "Copyable"),
            ("let f = cache.memoize { (_: Int) -> UnsafeRawPointer in UnsafeRawPointer(bitPattern: 8)! }", "Sendable"),
            ("let f = stored.memoize(\"f\") { (_: Int) in { @Sendable in 1 } }", "Codable|Decodable|Encodable|conform"),
            ("final class Box: Sendable {}; let f = stored.memoize(\"f\") { (_: Box) in 1 }", "Encodable|Hashable"),
            ("let f = stored.memoize(\"f\") { (_: Int) -> Void in }", "Codable|Decodable|Encodable|conform"),
        ]

        /// What the compiler says of a few lines that use a cache.
        static func diagnosis(of code: String) throws -> String {
            let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            let modules = products.appending(path: "Modules").path
            try #require(FileManager.default.fileExists(atPath: modules), "no modules at \(modules)")
            let folder = try TemporaryDirectory()
            let file = folder.path + "/snippet.swift"
            let header = "import CacheSystems\nfunc use(_ cache: MethodCache, _ stored: StoredMethodCache) {\n"
            try Data("\(header)\(code)\n_ = f\n}\n".utf8).write(to: URL(filePath: file))
            let shims = ["CEmbeddedFiles", "CIntrinsics", "CThreadNumber"].flatMap {
                ["-Xcc", "-fmodule-map-file=" + products.appending(path: "\($0).build/module.modulemap").path]
            }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                [
                    "swiftc", "-typecheck", "-swift-version", "6", "-I", modules,
                ] + shims + [file]
            let pipe = Pipe()
            process.standardError = pipe
            process.standardOutput = pipe
            try process.run()
            let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return said
        }

        @Test func `what can be kept compiles, so that a refusal means something`() throws {
            let codes = [
                "let f = cache.memoize { (a: Int) in a }", "let f = stored.memoize(\"f\") { (a: Int) in [a] }",
            ]
            for code in codes { #expect(try Self.diagnosis(of: code) == "") }
        }

        @Test(arguments: refused)
        func `what cannot be kept is an error of the compiler`(_ row: (code: String, reason: String)) throws {
            let said = try Self.diagnosis(of: row.code)
            #expect(said.contains("error:"))
            #expect(said.range(of: row.reason, options: .regularExpression) != nil, "\(said)")
        }
    #endif
}
