import CacheCore
import CachePlugins
import CachePolicies
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

@Suite("A library that is no sound plug-in is refused", .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct PluginLibraryTests {
    private static let wrong = "Tests/CachePluginsTests/Plugins/wrong.c"

    @Test(
        arguments: [
            ("VERSION", "of version 2 of assay_plugin.h, and this Assay takes version 1"),
            ("SHORT_PLUGIN", "The plug-in says that its description has 8 bytes"),
            ("NOTHING", "'assay_plugin_entry' returns nothing"), ("EMPTY", "neither policies nor backends"),
            ("SHORT_POLICY", "Policy 1 says that its description has 8 bytes"), ("NO_NAME", "Policy 1 has no name"),
            ("BAD_NAME", "Policy 1 has no name that can be written. Give it one of at most 64"),
            ("LONG_NAME", "Policy 1 has no name"), ("NO_FAMILY", "has no family. Name one of recency, frequency"),
            ("BOUND", "The policy sound-1 has no family"), ("NO_SUMMARY", "has no summary"),
            ("NO_MISS", "create, destroy, miss and remove must be there"), ("FLAGS", "has flags that this version"),
            ("MEMORY", "states memory that is not from 0"), ("MANY_PARAMETERS", "has 1000 parameters, and at most 64"),
            ("TWO_PARAMETERS", "has two parameters 'size'"), ("BAD_DEFAULT", "a default that it does not accept"),
            ("BAD_RANGE", "the parameter share has no kind, an empty range"), ("BAD_CHOICE", "the parameter size"),
            ("BAD_KIND", "the parameter size has no kind"),
            ("MISSING_POLICY", "says that it has 1 policies, and gives 0"),
            ("MANY_POLICIES", "has 2147483648 policies, and at most 256"), ("NOT_UTF8", "has no summary"),
        ])
    func `with the reason`(_ which: String, _ words: String) throws {
        let path = try SharedLibrary.c(Self.wrong, defining: ["WRONG=\(which)"])
        let error = try #require(#expect(throws: AssayError.self) { try PluginLibrary(path) })
        #expect(error.code == .badInput)
        #expect(error.message.contains(words), "\(error.message)")
        #expect(error.location?.source == URL(filePath: path).resolvingSymlinksInPath().path)
    }

    @Test func `and one without the function, a text, a folder and a missing file are none`() throws {
        let directory = try TemporaryDirectory()
        let text = directory.path + "/text.so"
        try "#!/bin/sh\n".write(toFile: text, atomically: true, encoding: .utf8)
        func refused(_ path: String, _ code: AssayError.Code, _ words: String) throws {
            let error = try #require(#expect(throws: AssayError.self) { try PluginLibrary(path) })
            #expect(error.code == code)
            #expect(error.description.contains(words), "\(error)")
            #expect(error.description.contains(path))
        }
        try refused(
            try SharedLibrary.c(Self.wrong, defining: ["NO_ENTRY"]), .badInput,
            "defines no function 'assay_plugin_entry'")
        try refused(text, .badInput, "no shared library that can be loaded here")
        try refused(directory.path, .badInput, "This is no file")
        try refused(directory.path + "/missing.so", .inputOutput, "No such file")
    }

    @Test func `a sound one is taken, under any path`() throws {
        let path = try SharedLibrary.c(Self.wrong, defining: ["WRONG=SOUND"])
        let link = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(atPath: link.path + "/link.so", withDestinationPath: path)
        let library = try PluginLibrary(link.path + "/link.so")
        #expect(library.path == URL(filePath: path).resolvingSymlinksInPath().path)
        #expect(library.policies.map(\.descriptor.name) == ["sound-1"] && library.backends.isEmpty)
        let memory = try #require(library.policies[0].descriptor.memory)
        #expect(memory.inObjects.perObject == 4.125 && memory.inBytes.perObject == 12.125)
    }

    @Test func `names keep to the rule that built-in names keep to`() {
        let builtin = BuiltinPolicies.all.map(\.descriptor).flatMap { descriptor in
            [descriptor.name] + descriptor.aliases + descriptor.parameters.map(\.name)
        }
        let others = BuiltinStorage.embedded.map(\.descriptor.name) + BuiltinAdmissions.all.map(\.descriptor.name)
        #expect((builtin + others).filter { !$0.isPluginName } == [])
        for wrong in ["", "-a", "+", "A", "a b", "a:b", "a,b", "a/*", "a=b", "ä", "a\u{1B}"] {
            #expect(!wrong.isPluginName, "\(wrong)")
        }
    }
}
