import CacheCore

/// A backend as a parameter of another names it: `name` or `name:parameter=value+parameter=value`.
struct TierSelection {
    let text: String
    let entry: BackendEntry
    let parameters: ParameterValues

    /// Finds a backend and reads its parameters.
    ///
    /// - Throws: `unavailable` that names what is wrong and what there is.
    init(_ text: String, _ tier: String, among entries: [BackendEntry]) throws(StorageError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let entry = entries.first(where: { $0.descriptor.name == name }) else {
            let names = entries.map(\.descriptor.name)
            let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw StorageError(
                .unavailable, "tiered: \(tier)=\(name) is none of \(names.joined(separator: ", ")).\(near)")
        }
        do throws(AssayError) {
            let list = parts.count > 1 ? parts[1].split(separator: "+").joined(separator: ",") : ""
            parameters = try ParameterValues(parsing: list, for: entry.descriptor.parameters, of: name)
        } catch {
            throw StorageError(.unavailable, "tiered: \(tier)=\(text): \(error.message)")
        }
        self.text = text
        self.entry = entry
    }
}
