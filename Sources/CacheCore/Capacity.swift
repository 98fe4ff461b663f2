/// How much a cache may hold: a number of objects or a number of bytes.
public struct Capacity: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What a capacity counts.
    public enum Unit: String, Hashable, Sendable, Codable, CaseIterable {
        /// Every object weighs 1.
        case objects
        /// Every object weighs its size.
        case bytes
    }

    /// The largest amount that a person can ask for: 2^53, up to which shares of it are exact and sums cannot overflow.
    public static let largestAmount = 1 << 53

    /// The number of objects or bytes, from 1 to ``largestAmount``.
    public var amount: Int
    /// What the amount counts.
    public var unit: Unit

    /// A capacity of `amount` objects or bytes.
    public init(_ amount: Int, _ unit: Unit) {
        self.amount = amount
        self.unit = unit
    }

    /// A capacity in objects.
    public static func objects(_ amount: Int) -> Capacity { Capacity(amount, .objects) }
    /// A capacity in bytes.
    public static func bytes(_ amount: Int) -> Capacity { Capacity(amount, .bytes) }

    /// `1000 objects` or `65536 bytes`.
    public var description: String { "\(amount) \(unit.rawValue)" }
}

/// A capacity as a person asks for it: absolute, or a share of a trace's footprint.
///
/// `4096` counts objects; `64MiB`, `64MB`, `512B` count bytes (`KiB` is 1024, `KB` 1000), in any case of letters; `64M` is
/// `64MiB`, as for dd and memcached; `1%` is a share of the trace's distinct objects, `1%B` a share of its distinct bytes. A share
/// is at most 100 %, rounded down, to at least 1 and at most ``Capacity/largestAmount``.
public enum CapacityRequest: Hashable, Sendable, CustomStringConvertible {
    /// That many objects or bytes.
    case absolute(Capacity)
    /// That share of the footprint, in `0 < fraction`, of objects or bytes. The text is kept for display.
    case share(percent: Double, Capacity.Unit, text: String)

    /// What it counts.
    public var unit: Capacity.Unit {
        switch self {
        case .absolute(let capacity): capacity.unit
        case .share(_, let unit, _): unit
        }
    }

    /// Reads one capacity from the command line.
    ///
    /// - Throws: `AssayError` with code `usage` for anything that is not a positive capacity.
    public init(parsing text: String) throws(AssayError) {
        func invalid(_ reason: String) -> AssayError {
            AssayError(
                .usage,
                "'\(text)' is not a capacity: \(reason). Write objects (4096), bytes (64MiB, 512B) "
                    + "or a share of the footprint (1% of its objects, 1%B of its bytes).",
                at: AssayError.Location("--capacity"))
        }
        let written = text.prefix { $0.isNumber || $0 == "." || $0 == "_" || $0 == "-" }
        let suffix = text.dropFirst(written.count).drop { $0 == " " }
        let digits = written.filter { $0 != "_" }
        guard let number = Double(digits), number.isFinite else { throw invalid("no number") }
        let isShare = suffix == "%" || suffix == "%B"
        guard let factor = isShare ? 1 : Self.unit(suffix)?.factor else { throw invalid("unknown unit '\(suffix)'") }
        guard number > 0 else { throw invalid("it must be greater than 0") }
        if isShare {
            guard number <= 100 else { throw invalid("a share is at most 100%") }
            self = .share(percent: number, suffix == "%" ? .objects : .bytes, text: String(written) + suffix)
            return
        }
        let amount = number * factor
        guard amount.rounded(.down) == amount, amount >= 1 else { throw invalid("it must be a whole number") }
        // The nearest floating-point number of 2^53 + 1 is 2^53.
        guard amount <= Double(Capacity.largestAmount), Int(digits).map({ $0 <= Capacity.largestAmount }) ?? true else {
            throw invalid("it is more than 2^53")
        }
        self = .absolute(Capacity(Int(amount), suffix.isEmpty ? .objects : .bytes))
    }

    /// What was understood, for a unit that is not written as reports write it, as `5mb` or `64M`; nil for the others.
    public static func reading(of text: String) -> String? {
        guard let request = try? CapacityRequest(parsing: text), case .absolute(let capacity) = request,
            let suffix = text.lastIndex(where: { !$0.isLetter }).map({ text[text.index(after: $0)...] }),
            let unit = unit(suffix), unit.name != suffix
        else { return nil }
        return "'\(text)' is read as \(text.dropLast(suffix.count))\(unit.name), which is \(capacity)"
    }

    private static let units: [(name: String, factor: Double)] = [
        ("", 1), ("B", 1), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12),
        ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776),
    ]

    /// The unit that a person means: in any case of letters, and `M` for `MiB`.
    private static func unit(_ text: Substring) -> (name: String, factor: Double)? {
        let text = text.lowercased()
        return units.first {
            $0.name.lowercased() == text || ["k", "m", "g", "t"].contains(text) && $0.name.lowercased() == text + "ib"
        }
    }

    /// The capacity that this request means for a trace with that footprint.
    public func resolved(footprintObjects: Int, footprintBytes: Int) -> Capacity {
        switch self {
        case .absolute(let capacity): return capacity
        case .share(let percent, let unit, _):
            let whole = unit == .objects ? footprintObjects : footprintBytes
            let exact = Double(whole) * percent / 100
            // 0.29 % of 50,000 is 145, though the nearest floating-point numbers multiply to a little less.
            let nearest = exact.rounded()
            let share = abs(exact - nearest) <= 4 * exact.ulp ? nearest : exact.rounded(.down)
            return Capacity(Int(min(max(share, 1), Double(Capacity.largestAmount))), unit)
        }
    }

    /// A share as it was written; an absolute capacity as a plain number, with `B` for bytes.
    public var description: String {
        switch self {
        case .absolute(let capacity): capacity.unit == .objects ? "\(capacity.amount)" : "\(capacity.amount)B"
        case .share(_, _, let text): text
        }
    }
}

/// A part of a whole as a person writes it.
public enum Share {
    /// Reads `0.5`, `50%` or `50 %` as a fraction; nil for anything that is no finite number of at least 0.
    public static func fraction(_ text: String) -> Double? {
        let isPercent = text.hasSuffix("%")
        var digits = text.dropLast(isPercent ? 1 : 0)
        while isPercent, digits.last == " " { digits = digits.dropLast() }
        guard let number = Double(String(digits)), number.isFinite, number >= 0 else { return nil }
        return isPercent ? number / 100 : number
    }
}
