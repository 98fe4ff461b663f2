/// The sum, or the nearest number that there is.
@inlinable
package func saturatingSum<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
    let (sum, overflows) = a.addingReportingOverflow(b)
    return overflows ? (a < 0 ? .min : .max) : sum
}
