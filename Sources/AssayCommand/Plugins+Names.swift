import ArgumentParser
package import CacheCore
import CacheTraces

#if Conformance
    import CacheConformance
#endif

extension Plugins {
    /// Refuses names that two plug-ins of a kind have, and names that nobody could write on the command line.
    ///
    /// - Throws: `AssayError` with code `usage` that names them.
    package func requireNames() throws(AssayError) {
        try Self.require("policies", policies.flatMap { [$0.descriptor.name] + $0.descriptor.aliases }, taken: ["all"])
        try Self.require(
            "admission policies", admissions.flatMap { [$0.descriptor.name] + $0.descriptor.aliases }, taken: ["always"]
        )
        try Self.require(
            "prefetchers", prefetchers.flatMap { [$0.descriptor.name] + $0.descriptor.aliases }, taken: ["none"])
        try Self.require(
            "trace formats", formats.flatMap { [$0.descriptor.name] + $0.descriptor.aliases })
        let backends = everyBackend.map(\.descriptor.name)
        try Self.require("backends", backends)
        #if Conformance
            try Self.require("subjects", subjects.map(\.subject.name), taken: backends)
            try requireChecks()
        #endif
        try requireTwins()
        try requireReports()
    }

    /// Refuses names of subcommands, as ``requireNames()`` does the other names.
    ///
    /// The plug-ins are in use before it is called: the help of built-in subcommands names them.
    ///
    /// - Throws: `AssayError` with code `usage` that names them.
    func requireCommandNames(beside builtin: [any ParsableCommand.Type]) throws(AssayError) {
        try Self.require(
            "subcommands", commands.flatMap(Self.names), taken: ["help"] + builtin.flatMap(Self.names))
    }

    /// What a subcommand is called by.
    static func names(_ command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }

    private static func require(
        _ plural: String, _ names: [String], taken: [String] = []
    ) throws(AssayError) {
        if let name = names.first(where: { !$0.isPluginName }) {
            throw AssayError(
                .usage,
                "'\(name)' cannot be written where \(plural) are named. Give it a name of lower-case letters and digits, with - . _ + "
                    + "after the first.")
        }
        try refuseTwice(plural, names, taken: taken)
    }

    private static func refuseTwice(_ plural: String, _ names: [String], taken: [String] = []) throws(AssayError) {
        var seen = Set(taken)
        let twice = names.filter { !seen.insert($0).inserted }
        guard !twice.isEmpty else { return }
        throw AssayError(
            .usage,
            "Names of \(plural) that are taken already: \(twice.map { "'\($0)'" }.joined(separator: ", ")). Rename the plug-ins "
                + "that were added.")
    }

    private func requireTwins() throws(AssayError) {
        let names = policies.map(\.descriptor.name)
        guard let stray = twins.keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw AssayError(
            .usage, "A twin is given for '\(stray)', which is no policy. Give it for the name in a descriptor.")
    }

    private func requireReports() throws(AssayError) {
        let names = reports.map(\.fileName)
        if let name = names.first(where: { $0.isEmpty || $0.contains("/") }) {
            throw AssayError(.usage, "A report's file cannot be named '\(name)'. Give it a name without folders.")
        }
        try Self.refuseTwice("reports", names)
        guard names.contains("results.json") else {
            throw AssayError(
                .usage,
                "results.json is not among the reports, which 'assay report' and 'assay gate' read. Append yours to it."
            )
        }
    }

    #if Conformance
        /// Subjects may share checks of their own, but an id stands for one check.
        private func requireChecks() throws(AssayError) {
            var assertions: [String: String] = [:]
            for check in ConformanceSuite.cache.checks + ConformanceSuite.policy.checks { assertions[check.id] = "" }
            for check in checks + subjects.flatMap(\.checks) {
                guard check.id == check.id.uppercased(), !check.section.isEmpty else {
                    throw AssayError(
                        .usage, "'\(check.id)' is no id of a check. Write a section in capitals and a number: MINE-1.")
                }
                guard assertions[check.id, default: check.assertion] == check.assertion else {
                    throw AssayError(
                        .usage, "Two checks have the id '\(check.id)'. Give the one that was added another.")
                }
                assertions[check.id] = check.assertion
            }
        }
    #endif
}
