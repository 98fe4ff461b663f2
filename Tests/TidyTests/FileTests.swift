import Foundation
import Testing
import _CacheTestSupport

@Suite("Files are alive and clean, and long ones are told")
struct FileTests {
    /// It only reports: a file may be longer where splitting it would hide its subject.
    @Test func `Swift files of more than 400 lines are listed`() {
        for file in SourceFile.sources + SourceFile.tests where file.lines.count > 401 {
            print("tidy: \(file.path) has \(file.lines.count - 1) lines")
        }
    }

    @Test func `a Swift file without extensions is not dead: something it declares is used elsewhere`() {
        let words = Dictionary(uniqueKeysWithValues: SourceFile.sources.map { ($0.path, Self.words(of: $0.text)) })
        let dead = SourceFile.sources.filter { file in
            let declared = Self.declared(in: file.text)
            // What an extension adds is not declared at the outermost level; it is used through its type.
            let isExempt = file.text.contains("@main") || file.text.contains("\nextension ")
            guard !declared.isEmpty, !isExempt else { return false }
            return !words.contains { path, used in path != file.path && !declared.isDisjoint(with: used) }
        }
        #expect(dead.map(\.path) == [])
    }

    @Test func `no file marks work that is not done`() {
        // Spelled in two parts, so that this file is clean too.
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "unimplement" + "ed"]
        let marked = (SourceFile.sources + SourceFile.tests).flatMap { file in
            let words = Self.words(of: file.text)
            return marks.filter { words.contains(Substring($0)) }.map { "\(file.path): \($0)" }
        }
        #expect(marked == [])
    }

    @Test func `no tracked text carries a path of one machine`() throws {
        let home = "/ho" + "me/"
        let root = "/ro" + "ot/"
        let work = SharedFolder.packageRoot.path + "/"
        let found = (SourceFile.sources + SourceFile.tests).filter { file in
            [home, root, work].contains { file.text.contains($0) }
        }
        #expect(found.map(\.path) == [])
    }

    @Test(arguments: ["scripts/run", "scripts/test", "scripts/setup", ".ci/run"])
    func `scripts can be executed`(_ script: String) {
        #expect(FileManager.default.isExecutableFile(atPath: SharedFolder.packageRoot.appending(path: script).path))
    }

    private static func words(of text: String) -> Set<Substring> {
        Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }

    /// Names of types and functions that a file declares at its outermost level.
    private static func declared(in text: String) -> Set<Substring> {
        let pattern =
            /^(?:(?:public|package|internal|final|indirect|@\w+(?:\([^)]*\))?)\s+)*(?:struct|class|enum|actor|protocol|func|typealias|let|var)\s+(\w+)/
            .anchorsMatchLineEndings()
        return Set(text.matches(of: pattern).map(\.output.1))
    }
}
