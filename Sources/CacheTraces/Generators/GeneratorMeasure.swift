package import CacheCore

/// What `assay-dev measure-generate` measures, in this module so that it is compiled as generating into a trace is.
package enum GeneratorMeasure {
    /// Adds up what is sent to it.
    private struct Sum: TraceSink {
        var sum: UInt64 = 0

        @inline(__always)
        mutating func append(integer key: UInt64, _ attributes: RequestAttributes) {
            sum &+= key &+ (attributes.sizeBytes ?? 0) &+ UInt64(bitPattern: attributes.timeNanoseconds ?? 0)
            sum &+= UInt64(attributes.operation?.rawValue ?? 0)
        }

        mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) {}
    }

    /// Generates every request and returns the sum of all.
    ///
    /// - Throws: as ``WorkloadSpecification/generate(into:)``.
    package static func generate(_ specification: WorkloadSpecification) throws(AssayError) -> UInt64 {
        var sink = Sum()
        try specification.generate(into: &sink)
        return sink.sum
    }

    /// Draws so many numbers and returns the sum of all.
    package static func drawNumbers(_ count: Int) -> UInt64 {
        var random = SeededGenerator(seed: 1)
        var sum: UInt64 = 0
        for _ in 0..<count { sum &+= random.next() }
        return sum
    }
}
