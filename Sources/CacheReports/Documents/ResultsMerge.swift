package import CacheCore

/// Several results of one kind as one, as if one command had recorded all their parts.
package struct ResultsMerge<Results: CombinableResults> {
    /// Everything that any of them holds.
    package private(set) var results: Results
    /// How many parts several of them have, with the same exact figures: the first's times are kept.
    package private(set) var repeatedParts = 0
    /// Whether each of them has something that none before it has.
    package private(set) var isUseful = true

    /// Merges results.
    ///
    /// - Parameters:
    ///   - all: The results, at least one, with the names that errors give them.
    ///   - commandLine: The arguments after `assay` that merge them.
    /// - Throws: `AssayError` with code `badInput` if they contradict each other: another seed, load or question, another trace of
    ///   one name, other exact figures of one part.
    package init(_ all: [(label: String, results: Results)], commandLine: [String]) throws(AssayError) {
        results = all[0].results
        var positions = Dictionary(
            results.parts.enumerated().map { (Results.identity($1), $0) }, uniquingKeysWith: { first, _ in first })
        var missing = Self.missing(results)
        for (label, other) in all.dropFirst() {
            guard results.seed == other.seed, results.setting == other.setting else {
                throw AssayError(
                    .badInput,
                    "These results cannot be merged with those of \(all[0].label): "
                        + (results.seed == other.seed
                            ? "they were asked for under other conditions (\(other.setting) and not \(results.setting))"
                            : "their seed is \(other.seed) and not \(results.seed)")
                        + ". Compare them, or leave one out.", at: .init(label))
            }
            let names = try mergeTraces(other.traces, label)
            let isAdding = try merge(other.parts, names, &positions, label, all[0].label)
            isUseful = isUseful && isAdding
            mergeHeader(other)
            missing = missing.flatMap { sum in Self.missing(other).map { sum + $0 } }
        }
        if all.count > 1 { results.commandLine = commandLine }
        results.planned = missing.map { results.parts.count + $0 }
    }

    /// How many parts were asked for and are not there.
    private static func missing(_ results: Results) -> Int? { results.planned.map { max(0, $0 - results.parts.count) } }

    /// Adds traces, and tells what each is called from now on.
    private mutating func mergeTraces(
        _ traces: [TraceDescription], _ label: String
    ) throws(AssayError) -> [String: String] {
        var names: [String: String] = [:]
        for trace in traces {
            let known = results.traces.first { old in
                guard let first = old.contentDigest, let second = trace.contentDigest else {
                    return old.digest == trace.digest && old.format == trace.format
                }
                return first == second
            }
            names[trace.name] = known?.name ?? trace.name
            if known != nil { continue }
            guard !results.traces.contains(where: { $0.name == trace.name }) else {
                throw AssayError(
                    .badInput,
                    "The trace '\(trace.name)' is another one than in the results before it. Compare the results, or leave one "
                        + "out.", at: .init(label))
            }
            results.traces.append(trace)
        }
        return names
    }

    /// Adds parts, and tells whether any of them is new.
    private mutating func merge(
        _ parts: [Results.Part], _ names: [String: String], _ positions: inout [String: Int], _ label: String,
        _ first: String
    ) throws(AssayError) -> Bool {
        var isAdding = false
        var merged = results.parts
        for var part in parts {
            if let path = Results.traceName { part[keyPath: path] = names[part[keyPath: path]] ?? part[keyPath: path] }
            let identity = Results.identity(part)
            guard let position = positions[identity] else {
                positions[identity] = merged.count
                merged.append(part)
                isAdding = true
                continue
            }
            guard let united = Results.united(merged[position], part) else {
                throw AssayError(
                    .badInput,
                    "\(identity): this and \(first) have other exact figures of it, so that they cannot be merged. Compare "
                        + "them, or leave one out.", at: .init(label))
            }
            if united == merged[position] { repeatedParts += 1 } else { isAdding = true }
            merged[position] = united
        }
        results.parts = merged
        return isAdding
    }

    private mutating func mergeHeader(_ other: Results) {
        let mine = results.environment
        let theirs = other.environment
        if mine.isUnlike(theirs) {
            let doubt = "These results come from several machines or builds: their times are not comparable."
            if !results.doubts.contains(doubt) { results.doubts.append(doubt) }
        }
        for path in EnvironmentDescription.texts {
            results.environment[keyPath: path] = Self.joined(mine[keyPath: path], theirs[keyPath: path])
        }
        results.environment.loadAverage = [mine.loadAverage, theirs.loadAverage].compactMap(\.self).max()
        results.environment.timerFloorNanoseconds =
            [mine.timerFloorNanoseconds, theirs.timerFloorNanoseconds].compactMap(\.self).max()
        results.assayVersion = Self.joined(results.assayVersion, other.assayVersion)
        results.startedAt = min(results.startedAt, other.startedAt)
        results.durationSeconds += other.durationSeconds
        if other.status == .interrupted { results.status = .interrupted }
        results.doubts += other.doubts.filter { !results.doubts.contains($0) }
        results.described += other.described.filter { new in !results.described.contains { $0.name == new.name } }
    }

    /// `A / B`, or what both say.
    private static func joined(_ first: String, _ second: String) -> String {
        first == second || first.split(separator: " / ").contains { $0 == second } ? first : "\(first) / \(second)"
    }
}

extension EnvironmentDescription {
    /// What an environment says in words.
    static var texts: [WritableKeyPath<EnvironmentDescription, String>] {
        [\.operatingSystem, \.kernel, \.processor, \.build, \.timingAllocator, \.memoryAllocator]
    }

    /// Whether times of the two mean different things, by the machine or the build.
    func isUnlike(_ other: EnvironmentDescription) -> Bool {
        processorCount != other.processorCount || memoryBytes != other.memoryBytes
            || Self.texts.contains { self[keyPath: $0] != other[keyPath: $0] }
    }
}
