import ArgumentParser
package import CacheCore
package import CacheHarness
import Foundation

/// Reads lists such as `lru,s3fifo:small=0.05,ghost=0.9,arc` into plug-ins with their parameters.
package enum Selection {
    /// Splits at commas, but leaves `name=value` with the name before it. Spaces around commas mean nothing.
    static func items(_ text: String) -> [String] {
        var items: [String] = []
        for part in parts(text) {
            let isParameter = part.contains("=") && !part.prefix { $0 != "=" }.contains(":")
            if isParameter, let last = items.popLast() {
                items.append(last + (last.contains(":") ? "," : ":") + part)
            } else {
                items.append(part)
            }
        }
        return items
    }

    /// What texts list between commas.
    static func parts(of texts: [String]) -> [String] { texts.flatMap(parts) }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Policies by name, alias, `all`, which leaves out those that learn, or `family/*`.
    package static func policies(_ texts: [String]) throws(AssayError) -> [PolicySelection] {
        var selected: [PolicySelection] = []
        for item in texts.flatMap(items) {
            let (name, parameters) = split(item)
            if let group = group(name) {
                guard parameters.isEmpty else {
                    throw AssayError(.usage, "'\(item)' sets parameters of several policies; name one policy.")
                }
                selected += group.map { PolicySelection($0, ParameterValues(defaults: $0.descriptor.parameters)) }
                continue
            }
            let entry = try find(name, "policy", Plugins.current.policies) {
                [$0.descriptor.name] + $0.descriptor.aliases
            }
            let values = try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: name)
            try requireSound(entry, values)
            selected.append(PolicySelection(entry, values))
        }
        return try nonEmpty(selected, "policy", "See 'assay list policies'.")
    }

    /// Refuses parameters that do not go together: a mistake in them should not wait for the traces.
    private static func requireSound(_ entry: PolicyEntry, _ parameters: ParameterValues) throws(AssayError) {
        guard !entry.isBound else { return }
        _ = try entry.open(
            PolicyConfiguration(capacity: .objects(1), objects: ObjectSpace(count: 1), parameters: parameters))
    }

    /// Admission policies by name; `always` is none.
    static func admissions(_ texts: [String]) throws(AssayError) -> [AdmissionSelection?] {
        var selected: [AdmissionSelection?] = []
        for item in texts.flatMap(items) {
            let (name, parameters) = split(item)
            if name == "always" {
                _ = try ParameterValues(parsing: parameters, for: [], of: name)
                selected.append(nil)
                continue
            }
            let entry = try find(name, "admission", Plugins.current.admissions) {
                [$0.descriptor.name] + $0.descriptor.aliases + ["always"]
            }
            let selection = AdmissionSelection(
                entry, try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: name))
            // Conditions are read when a filter is made: a mistake in them should not wait for the traces.
            _ = try selection.open(
                PolicyConfiguration(
                    capacity: .objects(1), objects: ObjectSpace(count: 1), parameters: selection.parameters))
            selected.append(selection)
        }
        return try nonEmpty(selected, "admission", "See 'assay list admissions'.")
    }

    /// Prefetchers by name; `none` is none.
    static func prefetchers(_ texts: [String]) throws(AssayError) -> [PrefetcherSelection?] {
        var selected: [PrefetcherSelection?] = []
        for item in texts.flatMap(items) {
            let (name, parameters) = split(item)
            if name == "none" {
                _ = try ParameterValues(parsing: parameters, for: [], of: name)
                selected.append(nil)
                continue
            }
            let entry = try find(name, "prefetcher", Plugins.current.prefetchers) {
                [$0.descriptor.name] + $0.descriptor.aliases + ["none"]
            }
            let selection = PrefetcherSelection(
                entry, try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: name))
            // Parameters that do not go together should not wait for the traces.
            _ = try selection.open(
                PolicyConfiguration(
                    capacity: .objects(1), objects: ObjectSpace(count: 1), parameters: selection.parameters))
            selected.append(selection)
        }
        return try nonEmpty(selected, "prefetch", "See 'assay list prefetchers'.")
    }

    /// Whether objects expire: `ignore`, `honour`.
    static func expiries(_ texts: [String]) throws(AssayError) -> [Bool] {
        var selected: [Bool] = []
        for item in texts.flatMap(parts) {
            guard ["ignore", "honour"].contains(item) else {
                throw AssayError(
                    .usage, "'\(item)' says nothing about expiry. Write ignore, honour, or both as ignore,honour.",
                    at: AssayError.Location("--expiry"))
            }
            selected.append(item == "honour")
        }
        return try nonEmpty(selected, "expiry", "Write ignore, honour, or both as ignore,honour.")
    }

    /// Backends by name.
    package static func backends(_ texts: [String]) throws(AssayError) -> [BackendSelection] {
        var selected: [BackendSelection] = []
        for item in texts.flatMap(items) {
            let (name, parameters) = split(item)
            let entry = try find(name, "backend", Plugins.current.everyBackend) { [$0.descriptor.name] }
            let values = try ParameterValues(parsing: parameters, for: entry.descriptor.parameters, of: name)
            selected.append(BackendSelection(entry, values))
        }
        return try nonEmpty(selected, "backend", "See 'assay list backends'.")
    }

    /// Capacities, separated by commas. What a unit in other letters was taken for is told.
    static func capacities(_ texts: [String]) throws(AssayError) -> [CapacityRequest] {
        var selected: [CapacityRequest] = []
        for text in texts {
            let items = parts(text)
            // Nobody asks for a capacity with a leading zero: the comma separates thousands.
            if let group = items.dropFirst().first(where: {
                $0.count == 3 && $0.hasPrefix("0") && $0.allSatisfy(\.isNumber)
            }) {
                throw AssayError(
                    .usage,
                    "A comma separates capacities, so '\(text)' names '\(group)' as one. Write thousands without a comma or with "
                        + "a low line, as 1000 or 1_000.", at: AssayError.Location("--capacity"))
            }
            for item in items {
                selected.append(try CapacityRequest(parsing: item))
                if let reading = CapacityRequest.reading(of: item) { Console.error("assay: \(reading)") }
            }
        }
        return try nonEmpty(selected, "capacity", "Write objects (4096), bytes (64MiB) or a share (5%).")
    }

    /// A share from 0 to 1, as `0.5`, `50%` or `50 %`.
    static func share(_ text: String) throws -> Double {
        if let share = Share.fraction(text), share <= 1 { return share }
        throw ValidationError("'\(text)' is not a share, which is at most 1; write 90% or 0.9.")
    }

    private static func nonEmpty<Item>(
        _ items: [Item], _ kind: String, _ hint: String
    ) throws(AssayError) -> [Item] {
        guard items.isEmpty else { return items }
        throw AssayError(.usage, "--\(kind) names nothing. \(hint)")
    }

    /// The entry with that name, or an error that suggests the nearest.
    static func find<Entry>(
        _ name: String, _ kind: String, _ entries: [Entry], names: (Entry) -> [String]
    ) throws(AssayError) -> Entry {
        if let entry = entries.first(where: { names($0).contains(name.lowercased()) }) { return entry }
        if kind == "policy", let missing = Part.missing(policy: name.lowercased()) { throw missing }
        if kind == "backend", let missing = Part.missing(subject: name.lowercased()) { throw missing }
        var known = entries.flatMap(names)
        if kind == "policy" { known += ["all"] + families.sorted().map { $0 + "/*" } }
        let hint =
            elsewhere(name, kind) ?? nearestName(to: name, among: known).map { "Did you mean '\($0)'? " } ?? ""
        let isPluginMissing =
            !["admission", "prefetcher"].contains(kind) && PluginSelection.paths(in: Assay.arguments).isEmpty
        let plugin = isPluginMissing ? "If a plug-in has it, name its library with --plugin. " : ""
        let plural = kind == "policy" ? "policies" : kind + "s"
        throw AssayError(.usage, "There is no \(kind) '\(name)'. \(hint)\(plugin)See 'assay list \(plural)'.")
    }

    /// A hint at the option that takes a name which is there, but of another kind.
    private static func elsewhere(_ name: String, _ kind: String) -> String? {
        func names(_ all: [PolicyDescriptor]) -> [String] { all.flatMap { [$0.name] + $0.aliases } }
        let plugins = Plugins.current
        let kinds: [(kind: String, option: String, words: String, names: [String])] = [
            ("policy", "policy", "a policy", names(plugins.policies.map(\.descriptor))),
            ("admission", "admission", "an admission policy", names(plugins.admissions.map(\.descriptor))),
            ("prefetcher", "prefetch", "a prefetcher", names(plugins.prefetchers.map(\.descriptor))),
            ("backend", "backend", "a backend", plugins.everyBackend.map(\.descriptor.name)),
        ]
        let other = kinds.first { $0.kind != kind && $0.names.contains(name.lowercased()) }
        return other.map { "That is \($0.words): say --\($0.option) \(name.lowercased()). " }
    }

    private static func split(_ item: String) -> (name: String, parameters: Substring) {
        guard let colon = item.firstIndex(of: ":") else { return (item, "") }
        return (String(item[..<colon]), item[item.index(after: colon)...])
    }

    /// The families of policies, each once.
    private static var families: Set<String> { Set(Plugins.current.policies.map(\.descriptor.family)) }

    private static func group(_ name: String) -> [PolicyEntry]? {
        if name == "all" { return Plugins.current.ruledPolicies }
        guard name.hasSuffix("/*") else { return nil }
        let family = Plugins.current.policies.filter { $0.descriptor.family == name.dropLast(2) }
        return family.isEmpty ? nil : family
    }
}
