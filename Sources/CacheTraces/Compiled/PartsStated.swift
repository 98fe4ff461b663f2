internal import CacheCore

/// Whether all files of a trace state the same attributes.
struct PartsStated {
    private var first: (name: String, attributes: Set<String>)?
    private var requests = 0
    private var counts: [String: Int] = [:]

    /// Ends a file after which there are so many requests, and so many of each attribute. Returns whether it had requests.
    ///
    /// - Throws: `AssayError` with code `badInput` if it states other attributes than the first file.
    mutating func end(_ name: String, requests: Int, _ counts: [String: Int]) throws(AssayError) -> Bool {
        defer {
            self.requests = requests
            self.counts = counts
        }
        guard requests > self.requests else { return false }
        let stated = Set(counts.filter { $0.value > self.counts[$0.key] ?? 0 }.keys)
        guard let first else {
            self.first = (name, stated)
            return true
        }
        guard let other = first.attributes.symmetricDifference(stated).sorted().first else { return true }
        let (with, without) = stated.contains(other) ? (name, first.name) : (first.name, name)
        throw AssayError(
            .badInput,
            "'\(with)' states a \(other) for each request, and '\(without)' does not. Files of one trace must state the same: name the "
                + "same columns of all with --format.",
            at: AssayError.Location(name))
    }
}
