import ArgumentParser
import CacheCore
import CacheTraces
import CacheWorkloads
import Foundation

/// `assay trace generate`: makes a trace from a few numbers, the same on every machine.
struct TraceGenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make a trace from a generated workload or from options: the same requests on every machine.",
        discussion: """
            Options take the place of the workload's own fields. --workload saves the specification, a few lines of YAML that \
            give the same requests wherever they are read: 'assay run --trace NAME.yaml' reads them too.

            PATTERNS (field=value after a colon; a value alone is that of the first field)
              uniform                  every object is equally popular
              zipf:exponent            independent requests, the object of rank k in proportion to k^-exponent
              loop                     all objects in order, again and again
              scan:hot-objects,exponent,hot-requests,scan-length      a hot set, interrupted by scans
              hotspot:hot-objects,hot-share                           a share of the requests for the first objects
              shifting:exponent,period,shift                          a Zipf popularity that moves on
              latest:exponent          a Zipf popularity of the newest objects, which inserts add
              Workload files have two more: reuse, which 'assay trace fit' makes, and tenants, as --tenant makes them.

            DISTRIBUTIONS of sizes in bytes and times to live in seconds, one value an object
              fixed:value              uniform:minimum,maximum           log-normal:median,sigma
              pareto:shape,minimum     generalized-pareto:location,scale,shape

            OPERATIONS, as shares of all: writes, deletes, inserts (of new objects), read-modify-writes (a read, then a write: \
            two requests) and scans (a read for each of 1 to scan-length-max objects in a row). What is left reads.

            ARRIVALS, around --rate requests a second
              constant   poisson   bursts:period-seconds,share,factor   diurnal:period-seconds,amplitude

            EXAMPLES
              assay trace generate ycsb-a ycsb-a.csv
              assay trace generate --pattern zipf:0.9 --requests 2_000_000 --objects 50_000 --writes 0.1 out.csv
              assay trace generate --pattern zipf:1.1 --sizes generalized-pareto:scale=214.476,shape=0.348238 \
            --workload mine.yaml
              assay trace generate --tenant big:share=0.8,objects=90000,generator=zipf,exponent=0.9 \
            --tenant small:share=0.2,objects=1000,generator=loop out.oracleGeneral
            """)

    @Argument(
        help: ArgumentHelp(
            "A workload to start from, by name or path, unless --pattern or --tenant says all; then the file to write.",
            valueName: "workload|file"))
    var names: [String] = []

    @Option(help: ArgumentHelp("The order of requests, as zipf:0.9.", valueName: "pattern"))
    var pattern: String?

    @Option(help: ArgumentHelp("The number of requests (default: the workload's, or 1000000).", valueName: "number"))
    var requests: String?

    @Option(help: ArgumentHelp("The number of objects (default: the workload's, or 100000).", valueName: "number"))
    var objects: String?

    @Option(help: ArgumentHelp("The seed of everything random (default: the workload's, or 1).", valueName: "number"))
    var seed: String?

    @Option(
        help: ArgumentHelp("The objects' sizes in bytes, as log-normal:median=4096,sigma=1.", valueName: "distribution")
    )
    var sizes: String?

    @Option(
        help: ArgumentHelp(
            "The objects' times to live in seconds, as uniform:minimum=60,maximum=3600.", valueName: "distribution"))
    var ttl: String?

    @Option(
        help: ArgumentHelp("The share of the operations that store an object, as 5% or 0.05.", valueName: "share"),
        transform: Selection.share)
    var writes: Double?

    @Option(
        help: ArgumentHelp("The share of the operations that delete an object, as 5% or 0.05.", valueName: "share"),
        transform: Selection.share)
    var deletes: Double?

    @Option(
        help: ArgumentHelp(
            "Shares of operations, as writes=0.05,inserts=0.05,scans=0.9,scan-length-max=100.", valueName: "shares"))
    var operations: String?

    @Option(help: ArgumentHelp("When requests are made, as poisson or diurnal:amplitude=0.5.", valueName: "process"))
    var arrivals: String?

    @Option(help: ArgumentHelp("Requests a second on average, from 0.001 to 10^9 (default: 100).", valueName: "number"))
    var rate: String?

    @Option(
        help: ArgumentHelp(
            "One of several tenants with objects of its own, as NAME:share=0.2,objects=1000,generator=zipf,exponent=0.9.",
            valueName: "tenant"))
    var tenant: [String] = []

    @Option(help: ArgumentHelp("Save the specification as a workload file, which ends in .yaml.", valueName: "file"))
    var workload: String?

    @Option(help: ArgumentHelp("What --workload says of itself, in a sentence.", valueName: "text"))
    var description: String?

    @OptionGroup var writing: TraceWritingOptions

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func validate() throws {
        guard names.count <= (isComplete ? 1 : 2) else {
            throw ValidationError(
                isComplete
                    ? "With --pattern or --tenant only the file to write is named."
                    : "Name a workload, and the file to write.")
        }
        guard isComplete || !names.isEmpty else {
            throw ValidationError("Say what to generate: --pattern zipf:0.9, or a workload such as ycsb-a.")
        }
        guard file != nil || workload != nil else {
            throw ValidationError("Name the file to write, or save the specification with --workload NAME.yaml.")
        }
        guard description == nil || workload != nil else {
            throw ValidationError("--description is for the file of --workload NAME.yaml.")
        }
        guard operations == nil || (writes == nil && deletes == nil) else {
            throw ValidationError(
                "--operations says the shares of writes and deletes too; leave --writes and --deletes out.")
        }
        guard pattern == nil || tenant.isEmpty else {
            throw ValidationError("Each --tenant says its own generator; leave --pattern out.")
        }
        guard objects == nil || tenant.isEmpty else {
            throw ValidationError("Each --tenant says its own objects; leave --objects out.")
        }
    }

    /// Whether options say all, so that no workload is named.
    private var isComplete: Bool { pattern != nil || !tenant.isEmpty }
    private var base: String? { isComplete ? nil : names.first }
    private var file: String? { isComplete ? names.first : names.count > 1 ? names[1] : nil }

    func run() throws {
        let opener = TraceOpener(compiledTraces: compiledTraces)
        var made = try settings().workload(from: base, in: opener.catalog)
        if let description { made.description = description }
        if rate != nil, case .generated(let specification) = made.source, !specification.hasTimes {
            throw AssayError(
                .usage, "These requests have no times. Add --arrivals constant, or leave --rate out.",
                at: .init("--rate"))
        }
        if let workload { try WorkloadOutput.write(made, to: workload) }
        guard let file, case .generated(let specification) = made.source else { return }
        let trace = try TraceStore(directory: compiledTraces).open(generated: specification)
        try writing.write(trace, to: file)
    }

    private func settings() throws(AssayError) -> WorkloadSettings {
        var settings = WorkloadSettings()
        if let pattern { try settings.setPattern(pattern) }
        for one in tenant { try settings.addTenant(one) }
        if let requests = requests ?? (isComplete ? "1000000" : nil) { settings.set("requests", requests) }
        if let objects = objects ?? (pattern == nil ? nil : "100000") { settings.set("objects", objects) }
        if let seed { settings.set("seed", seed) }
        if let sizes { try settings.set("sizes", "distribution", sizes) }
        if let ttl { try settings.set("ttl", "distribution", ttl) }
        if let arrivals { try settings.set("arrivals", "process", arrivals) }
        if let rate { settings.set("requests-per-second", rate) }
        if let operations { try settings.set("operations", fieldsIn: operations) }
        let shares = [("writes", writes), ("deletes", deletes)].compactMap { name, share in
            share.map { (name: name, text: "\($0)") }
        }
        if !shares.isEmpty { settings.set("operations", fields: shares) }
        return settings
    }
}

/// Writes workload files.
enum WorkloadOutput {
    /// Writes a generated workload to a file that must not exist yet, unless it `replaces` one.
    ///
    /// - Throws: `AssayError` with code `usage` for a name without `.yaml`, `unavailable` for a workload that is too long to be read
    ///   again, and `inputOutput` if the file exists or cannot be written.
    static func write(_ workload: Workload, to path: String, replaces: Bool = false) throws(AssayError) {
        guard path.hasSuffix(".yaml") || path.hasSuffix(".yml") else {
            throw AssayError(
                .usage, "A workload file ends in .yaml. Write \(path).yaml.", at: AssayError.Location("--workload"))
        }
        guard let text = workload.text else {
            throw AssayError(.usage, "\(workload.name) is not generated, so there is nothing to save.")
        }
        guard text.utf8.count <= Workload.textBytesMax else {
            throw AssayError(
                .unavailable,
                "The workload takes \(text.utf8.count) bytes, and workload files of more than \(Workload.textBytesMax) are not read."
            )
        }
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: replaces ? .atomic : .withoutOverwriting)
        } catch {
            throw AssayError(
                .inputOutput,
                "The workload file cannot be written. Check the path, and that there is no such file yet.",
                at: AssayError.Location(path), cause: error.localizedDescription)
        }
    }
}
