extension [Double] {
    /// The number in the middle of the order by size, or halfway between the two there; nil for none.
    package var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
