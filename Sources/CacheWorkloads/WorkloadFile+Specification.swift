internal import CacheCore
internal import CacheTraces

// What a generated workload is made by: the fields of its file, and of the command line, which are the same.
extension WorkloadFile {
    /// The names of the generators, and the fields that belong to one of them alone.
    static let generators: [(name: String, fields: [String])] = [
        ("uniform", []), ("zipf", ["exponent"]), ("loop", []),
        ("scan", ["hot-objects", "exponent", "hot-requests", "scan-length"]),
        ("hotspot", ["hot-objects", "hot-share"]),
        ("shifting", ["exponent", "period", "shift"]), ("latest", ["exponent"]), ("reuse", ["reuse", "popularity"]),
        ("tenants", ["tenants"]),
    ]

    static func specification(_ fields: inout WorkloadFields, path: String) throws(AssayError) -> WorkloadSpecification
    {
        let requests = try fields.integer("requests")
        let seed = try fields.integer("seed", default: 1)
        guard seed >= 0 else { throw fields.fault("seed", "must be at least 0") }
        let pattern = try pattern(&fields)
        var all: Int?
        if case .tenants(let tenants) = pattern {
            all = tenants.reduce(0) { saturatingSum($0, $1.objects) }
        }
        let specification = WorkloadSpecification(
            pattern: pattern, requests: requests, objects: try fields.integer("objects", default: all),
            seed: UInt64(seed), sizes: try distribution("sizes", &fields),
            timesToLive: try distribution("ttl", &fields),
            requestsPerSecond: try fields.number("requests-per-second", default: 100),
            operations: try operations(&fields), arrivals: try arrivals(&fields))
        do throws(AssayError) { try specification.validate() } catch {
            throw error.located(at: AssayError.Location(path))
        }
        return specification
    }

    private static func pattern(_ fields: inout WorkloadFields) throws(AssayError) -> AccessPattern {
        let name = try fields.text("generator")
        switch name {
        case "uniform": return .uniform
        case "zipf": return .zipf(exponent: try fields.number("exponent"))
        case "loop": return .loop
        case "scan":
            return .scan(
                hotObjects: try fields.integer("hot-objects"), exponent: try fields.number("exponent"),
                hotRequests: try fields.integer("hot-requests"), scanLength: try fields.integer("scan-length"))
        case "hotspot":
            return .hotspot(
                hotObjects: try fields.integer("hot-objects"), hotShare: try fields.number("hot-share"))
        case "shifting":
            return .shifting(
                exponent: try fields.number("exponent"), period: try fields.integer("period"),
                shift: try fields.integer("shift"))
        case "latest": return .latest(exponent: try fields.number("exponent"))
        case "reuse": return .reuse(try reuse(&fields))
        case "tenants": return .tenants(try tenants(&fields))
        default:
            let names = generators.map(\.name)
            let near = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw fields.fault("generator", "'\(name)' is none of \(names.joined(separator: ", "))\(near)")
        }
    }

    private static func reuse(_ fields: inout WorkloadFields) throws(AssayError) -> ReuseModel {
        guard var reuse = try fields.fields("reuse") else {
            throw fields.fault("reuse", "the field is missing; add 'reuse:' with distances and reuses")
        }
        guard var popularity = try fields.fields("popularity") else {
            throw fields.fault("popularity", "the field is missing; add 'popularity:' with objects and requests")
        }
        let model = ReuseModel(
            distances: try reuse.integers("distances"), reuses: try reuse.integers("reuses"),
            objects: try popularity.integers("objects"), requests: try popularity.integers("requests"))
        try reuse.finish()
        try popularity.finish()
        return model
    }

    private static func tenants(_ fields: inout WorkloadFields) throws(AssayError) -> [TenantWorkload] {
        var tenants: [TenantWorkload] = []
        for var inner in try fields.sequence("tenants") {
            let tenant = TenantWorkload(
                name: try inner.text("name"), share: try inner.number("share"), objects: try inner.integer("objects"),
                pattern: try pattern(&inner), sizes: try distribution("sizes", &inner),
                timesToLive: try distribution("ttl", &inner), operations: try operations(&inner))
            try inner.finish()
            tenants.append(tenant)
        }
        guard !tenants.isEmpty else {
            throw fields.fault("tenants", "the field is missing or empty; add 'tenants:' and a list of them")
        }
        return tenants
    }

    private static func operations(_ fields: inout WorkloadFields) throws(AssayError) -> OperationMix? {
        guard var inner = try fields.fields("operations") else { return nil }
        let mix = OperationMix(
            writes: try inner.number("writes", default: 0), deletes: try inner.number("deletes", default: 0),
            inserts: try inner.number("inserts", default: 0),
            readModifyWrites: try inner.number("read-modify-writes", default: 0),
            scans: try inner.number("scans", default: 0),
            scanLengthMax: try inner.integer("scan-length-max", default: 100))
        try inner.finish()
        return mix
    }

    private static func arrivals(_ fields: inout WorkloadFields) throws(AssayError) -> ArrivalProcess? {
        guard var inner = try fields.fields("arrivals") else { return nil }
        let name = try inner.text("process")
        let process: ArrivalProcess
        switch name {
        case "constant": process = .constant
        case "poisson": process = .poisson
        case "bursts":
            process = .bursts(
                periodSeconds: try inner.number("period-seconds", default: 60),
                share: try inner.number("share", default: 0.1),
                factor: try inner.number("factor", default: 10))
        case "diurnal":
            process = .diurnal(
                periodSeconds: try inner.number("period-seconds", default: 86_400),
                amplitude: try inner.number("amplitude", default: 0.5))
        default: throw inner.fault("process", "'\(name)' is none of constant, poisson, bursts, diurnal")
        }
        try inner.finish()
        return process
    }

    private static func distribution(
        _ name: String, _ fields: inout WorkloadFields
    ) throws(AssayError) -> ValueDistribution? {
        guard var inner = try fields.fields(name) else { return nil }
        let largest = Int(UInt32.max) - 1
        let kind = try inner.text("distribution")
        let value: ValueDistribution
        switch kind {
        case "fixed": value = .fixed(try inner.integer("value"))
        case "uniform":
            value = .uniform(minimum: try inner.integer("minimum"), maximum: try inner.integer("maximum"))
        case "log-normal":
            value = .logNormal(
                median: try inner.number("median"), sigma: try inner.number("sigma"),
                minimum: try inner.integer("minimum", default: 1),
                maximum: try inner.integer("maximum", default: largest))
        case "pareto":
            value = .pareto(
                shape: try inner.number("shape"), minimum: try inner.integer("minimum"),
                maximum: try inner.integer("maximum", default: largest))
        case "generalized-pareto":
            value = .generalizedPareto(
                location: try inner.number("location", default: 0), scale: try inner.number("scale"),
                shape: try inner.number("shape"), minimum: try inner.integer("minimum", default: 1),
                maximum: try inner.integer("maximum", default: largest))
        case "classes": value = .classes(try classes(&inner))
        default:
            throw inner.fault(
                "distribution",
                "'\(kind)' is none of fixed, uniform, log-normal, pareto, generalized-pareto, classes")
        }
        try inner.finish()
        return value
    }

    private static func classes(_ fields: inout WorkloadFields) throws(AssayError) -> [ValueClass] {
        let (first, last) = (try fields.integers("first"), try fields.integers("last"))
        let shares = try fields.integers("shares")
        guard first.count == last.count, last.count == shares.count else {
            throw fields.fault("shares", "first, last and shares must have as many numbers each")
        }
        return first.indices.map { ValueClass(first[$0], last[$0], share: shares[$0]) }
    }
}
