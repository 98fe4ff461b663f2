internal import CacheCore

/// The bound that a share of the capacity sets to what a prefetcher remembers.
enum PrefetchMetadata {
    /// What an entry with its place in a hash table is taken to have, in bytes.
    static var entryBytes: Int { 32 }

    static let share = ParameterSpecification(
        "metadata", .number(default: 0.1, 0...1), "The most that is remembered, as a share of the capacity in bytes.")
    static let block = ParameterSpecification(
        "block", .integer(default: 4096, 1...(1 << 40)),
        "Bytes that an object is taken to have where the capacity counts objects.")

    /// The capacity in bytes.
    static func capacity(_ configuration: PolicyConfiguration) -> Double {
        let block = configuration.capacity.unit == .objects ? configuration.parameters.integer("block") : 1
        let (bytes, isBeyond) = configuration.capacity.amount.multipliedReportingOverflow(by: block)
        return isBeyond ? 0x1p62 : Double(bytes)
    }

    /// The bound, in bytes.
    static func bytes(_ configuration: PolicyConfiguration) -> Int {
        Int(min(0x1p62, capacity(configuration) * configuration.parameters.number("metadata")))
    }
}
