public import CacheTraces

extension Workload {
    /// A generated workload, which has no file yet.
    public init(
        name: String, description: String, origin: String, licence: String, specification: WorkloadSpecification
    ) {
        self.init(
            name: name, description: description, origin: origin, licence: licence, source: .generated(specification),
            path: name + ".yaml")
    }

    /// The longest workload file that is read, in bytes.
    public static var textBytesMax: Int { WorkloadFile.bytesMax }

    /// The text of a workload file that describes this workload; nil unless it is generated.
    public var text: String? {
        guard case .generated(let specification) = source else { return nil }
        var text = WorkloadText()
        text.field("kind", "generated")
        text.field("description", quoted: description)
        text.field("origin", quoted: origin)
        text.field("licence", quoted: licence)
        text.pattern(specification.pattern)
        text.field("requests", "\(specification.requests)")
        // Tenants say theirs.
        if case .tenants = specification.pattern {} else { text.field("objects", "\(specification.objects)") }
        text.field("seed", "\(specification.seed)")
        text.distribution("sizes", specification.sizes)
        text.distribution("ttl", specification.timesToLive)
        text.operations(specification.operations)
        text.arrivals(specification.arrivals)
        if specification.arrivals != nil || specification.timesToLive != nil || specification.requestsPerSecond != 100 {
            text.field("requests-per-second", "\(specification.requestsPerSecond)")
        }
        return text.lines.joined(separator: "\n") + "\n"
    }
}

/// Lines of a workload file.
private struct WorkloadText {
    private(set) var lines: [String] = []
    /// What stands before each line; a line that begins an item of a list has a dash in it.
    private var indent = ""

    private static let widthMax = 120

    mutating func field(_ name: String, _ value: String) { lines.append("\(indent)\(name): \(value)") }

    /// A text in quotes, so that nothing in it is YAML.
    mutating func field(_ name: String, quoted text: String) {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control: " "
            default: "\(scalar)"
            }
        }
        field(name, "\"\(escaped.joined())\"")
    }

    /// A list of numbers over as many lines as it takes.
    private mutating func field(_ name: String, _ numbers: [Int]) {
        var line = "\(indent)\(name): ["
        for (index, number) in numbers.enumerated() {
            let word = "\(number)" + (index == numbers.count - 1 ? "" : ",")
            if line.utf8.count + word.utf8.count + 1 > Self.widthMax {
                lines.append(line)
                line = String(repeating: " ", count: indent.utf8.count + 2)
            }
            line += (line.hasSuffix("[") || line.hasSuffix("  ") ? "" : " ") + word
        }
        lines.append(line + "]")
    }

    private mutating func nested(_ name: String, _ body: (inout WorkloadText) -> Void) {
        lines.append("\(indent)\(name):")
        let outer = indent
        indent += "  "
        body(&self)
        indent = outer
    }

    mutating func pattern(_ pattern: AccessPattern) {
        field("generator", pattern.name)
        switch pattern {
        case .uniform, .loop: break
        case .zipf(let exponent), .latest(let exponent): field("exponent", "\(exponent)")
        case .scan(let hotObjects, let exponent, let hotRequests, let scanLength):
            field("hot-objects", "\(hotObjects)")
            field("exponent", "\(exponent)")
            field("hot-requests", "\(hotRequests)")
            field("scan-length", "\(scanLength)")
        case .hotspot(let hotObjects, let hotShare):
            field("hot-objects", "\(hotObjects)")
            field("hot-share", "\(hotShare)")
        case .shifting(let exponent, let period, let shift):
            field("exponent", "\(exponent)")
            field("period", "\(period)")
            field("shift", "\(shift)")
        case .reuse(let model):
            nested("reuse") {
                $0.field("distances", model.distances)
                $0.field("reuses", model.reuses)
            }
            nested("popularity") {
                $0.field("objects", model.objects)
                $0.field("requests", model.requests)
            }
        case .tenants(let tenants):
            lines.append("\(indent)tenants:")
            for one in tenants { tenant(one) }
        }
    }

    private mutating func tenant(_ tenant: TenantWorkload) {
        let first = lines.count
        let outer = indent
        indent += "    "
        field("name", quoted: tenant.name)
        field("share", "\(tenant.share)")
        field("objects", "\(tenant.objects)")
        pattern(tenant.pattern)
        distribution("sizes", tenant.sizes)
        distribution("ttl", tenant.timesToLive)
        operations(tenant.operations)
        indent = outer
        lines[first] = "\(outer)  - " + lines[first].dropFirst(outer.count + 4)
    }

    mutating func distribution(_ name: String, _ distribution: ValueDistribution?) {
        guard let distribution else { return }
        nested(name) { text in
            func bounds(_ minimum: Int, _ maximum: Int) {
                text.field("minimum", "\(minimum)")
                text.field("maximum", "\(maximum)")
            }
            text.field("distribution", distribution.name)
            switch distribution {
            case .fixed(let value): text.field("value", "\(value)")
            case .uniform(let minimum, let maximum): bounds(minimum, maximum)
            case .logNormal(let median, let sigma, let minimum, let maximum):
                text.field("median", "\(median)")
                text.field("sigma", "\(sigma)")
                bounds(minimum, maximum)
            case .pareto(let shape, let minimum, let maximum):
                text.field("shape", "\(shape)")
                bounds(minimum, maximum)
            case .generalizedPareto(let location, let scale, let shape, let minimum, let maximum):
                text.field("location", "\(location)")
                text.field("scale", "\(scale)")
                text.field("shape", "\(shape)")
                bounds(minimum, maximum)
            case .classes(let classes):
                text.field("first", classes.map(\.first))
                text.field("last", classes.map(\.last))
                text.field("shares", classes.map(\.share))
            }
        }
    }

    mutating func operations(_ mix: OperationMix?) {
        guard let mix else { return }
        nested("operations") { text in
            // The writes stand there in any case, so that the field is not empty.
            text.field("writes", "\(mix.writes)")
            for (name, share) in [
                ("deletes", mix.deletes), ("inserts", mix.inserts), ("read-modify-writes", mix.readModifyWrites),
                ("scans", mix.scans),
            ] where share > 0 { text.field(name, "\(share)") }
            if mix.scans > 0 { text.field("scan-length-max", "\(mix.scanLengthMax)") }
        }
    }

    mutating func arrivals(_ process: ArrivalProcess?) {
        guard let process else { return }
        nested("arrivals") { text in
            text.field("process", process.name)
            switch process {
            case .constant, .poisson: break
            case .bursts(let period, let share, let factor):
                text.field("period-seconds", "\(period)")
                text.field("share", "\(share)")
                text.field("factor", "\(factor)")
            case .diurnal(let period, let amplitude):
                text.field("period-seconds", "\(period)")
                text.field("amplitude", "\(amplitude)")
            }
        }
    }
}
