public import CacheCore
internal import Foundation
internal import Yams

extension WorkloadCatalog {
    /// The suite in a file, or the suite of that name in the folder `suites` of the first folder that has it.
    ///
    /// - Throws: `AssayError` with code `usage` for an unknown name, with the nearest one; `badInput` with file and line for
    ///   a malformed file.
    public func suite(_ nameOrPath: String) throws(AssayError) -> SuiteSpecification {
        if nameOrPath.contains("/") || Self.isWorkloadFile(nameOrPath) { return try SuiteFile.read(nameOrPath) }
        let folders = directories.map { $0 + "/suites" }
        for folder in folders where FileManager.default.fileExists(atPath: "\(folder)/\(nameOrPath).yaml") {
            return try SuiteFile.read("\(folder)/\(nameOrPath).yaml")
        }
        let names = WorkloadCatalog(directories: folders).names
        let near = nearestName(to: nameOrPath, among: names).map { "Did you mean '\($0)'? " } ?? ""
        throw AssayError(
            .usage, "There is no suite '\(nameOrPath)'. \(near)There are: \(names.joined(separator: ", ")).",
            at: AssayError.Location("--suite"))
    }
}

/// Reads suite files.
enum SuiteFile {
    /// The suite that a YAML file describes.
    static func read(_ path: String) throws(AssayError) -> SuiteSpecification {
        var fields = try WorkloadFields(try WorkloadFile.root(try WorkloadFile.text(of: path), path: path), path: path)
        let description = try fields.text("description")
        var runs: [SuiteSpecification.Block] = []
        for var block in try fields.sequence("runs") { runs.append(try Self.block(&block)) }
        // First, since what is missing may stand where it does not belong.
        try fields.finish()
        guard !runs.isEmpty else { throw fields.fault("runs", "a suite needs at least one run") }
        return SuiteSpecification(description: description, runs: runs)
    }

    private static func block(_ fields: inout WorkloadFields) throws(AssayError) -> SuiteSpecification.Block {
        let block = SuiteSpecification.Block(
            traces: try fields.texts("traces") ?? [], policies: try fields.texts("policies"),
            capacities: try fields.texts("capacities"),
            admissions: try fields.texts("admissions"), prefetchers: try fields.texts("prefetchers"),
            expiry: try fields.texts("expiry"),
            warmUp: try fields.optionalText("warm-up"), seeds: try Self.seeds(&fields),
            backends: try fields.texts("backends"), simulate: try fields.flag("simulate"), place: fields.place)
        try fields.finish()
        guard !block.traces.isEmpty else { throw fields.fault("traces", "a run needs at least one trace") }
        return block
    }

    private static func seeds(_ fields: inout WorkloadFields) throws(AssayError) -> [UInt64]? {
        guard let texts = try fields.texts("seeds") else { return nil }
        var seeds: [UInt64] = []
        for text in texts {
            guard let seed = UInt64(text), !seeds.contains(seed) else {
                throw fields.fault("seeds", "expected different numbers from 0 to 2^64 - 1, and not '\(text)'")
            }
            seeds.append(seed)
        }
        guard !seeds.isEmpty else { throw fields.fault("seeds", "a list of seeds has at least one") }
        return seeds
    }
}
