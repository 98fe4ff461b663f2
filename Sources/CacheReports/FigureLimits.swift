internal import CacheCore
internal import Foundation

/// Bounds on the figures of a results file, which may have been written by anybody: within them no sum, difference or conversion
/// of a report overflows.
enum FigureLimits {
    /// The greatest figure that is no count: 2^53, up to which floating-point numbers count whole ones exactly. Below it lie 104 days
    /// in nanoseconds and 8 PiB.
    static let figureMax = 9_007_199_254_740_992.0
    /// What all figures of a file may add up to, and the greatest count of bytes or weight, which is added to no other: 2^62.
    static let sumMax = 4_611_686_018_427_387_904.0

    /// Refuses figures out of bounds, and ratios of hits that are none.
    ///
    /// - Throws: `AssayError` with code `badInput` that names the figure. What is not JSON is left to the decoder.
    static func check(_ data: Data, from source: String) throws(AssayError) {
        guard let document = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else { return }
        var sum = 0.0
        guard let fault = fault(in: document, &sum) else { return }
        throw AssayError(
            .badInput,
            "'\(DecodingError.path(fault.path.reversed()))' \(fault.reason). Restore the file, or record it again.",
            at: .init(source))
    }

    /// A figure out of bounds: the way that leads to it, the last step first, and what is wrong with it.
    private typealias Fault = (path: [any CodingKey], reason: String)

    private struct Step: CodingKey {
        var stringValue: String
        var intValue: Int?

        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
    }

    /// What no report adds up: bytes and costs of requests, and weights.
    private static let greatCounts: Set = [
        "bytesRequested", "bytesHit", "bytesWritten", "residentWeight", "footprintBytes", "capacity",
        "costRequested", "costMissed",
    ]

    /// The first figure out of bounds; nil where there is none.
    private static func fault(in value: Any, _ sum: inout Double) -> Fault? {
        switch value {
        case let members as [String: Any]:
            for (name, whole) in [("hits", "requests"), ("bytesHit", "bytesRequested")] {
                guard let hit = members[name] as? NSNumber, let asked = members[whole] as? NSNumber,
                    hit.doubleValue < 0 || hit.doubleValue > asked.doubleValue
                else { continue }
                return ([Step(stringValue: name)], "is \(hit) of \(asked) in '\(whole)'")
            }
            // A seed is any word of 64 bits, and nothing is calculated with it.
            for (name, member) in members.sorted(by: { $0.key < $1.key }) where name != "seed" {
                let step = Step(stringValue: name)
                if greatCounts.contains(name), let count = member as? NSNumber, count.doubleValue > figureMax {
                    guard count.doubleValue <= sumMax else {
                        return ([step], "is \(count), beyond the greatest count of 2^62")
                    }
                    continue
                }
                if let fault = fault(in: member, &sum) { return (fault.path + [step], fault.reason) }
                guard ["hitRatio", "byteHitRatio", "exactHitRatio"].contains(name), let ratio = member as? NSNumber,
                    !(0...1).contains(ratio.doubleValue)
                else { continue }
                return ([step], "is \(ratio), and a hit ratio lies from 0 to 1")
            }
            return nil
        case let elements as [Any]:
            for (index, element) in elements.enumerated() {
                if let fault = fault(in: element, &sum) { return (fault.path + [Step(intValue: index)], fault.reason) }
            }
            return nil
        case let number as NSNumber:
            let figure = abs(number.doubleValue)
            guard figure <= figureMax else { return ([], "is \(number), beyond the greatest figure of 2^53") }
            sum += figure
            return sum <= sumMax ? nil : ([], "brings the sum of the figures beyond 2^62")
        default: return nil
        }
    }
}
