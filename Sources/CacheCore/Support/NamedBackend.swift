/// A backend as a parameter of another names it: `name` or `name:parameter=value+parameter=value`.
package struct NamedBackend: Sendable {
    /// The text that names it.
    package let text: String
    /// The backend.
    package let entry: BackendEntry
    /// Its parameters: the defaults but for those that the text sets.
    package let parameters: ParameterValues

    /// Finds the backend that a parameter of another names, and reads its parameters.
    ///
    /// - Throws: `unavailable` that names what is wrong and what there is.
    package init(
        _ text: String, of backend: String, parameter: String, among entries: [BackendEntry]
    ) throws(StoreError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let entry = entries.first(where: { $0.descriptor.name == name }) else {
            let names = entries.map(\.descriptor.name)
            let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw StoreError(
                .unavailable, "\(backend): \(parameter)=\(name) is none of \(names.joined(separator: ", ")).\(near)")
        }
        do throws(AssayError) {
            let list = parts.count > 1 ? parts[1].split(separator: "+").joined(separator: ",") : ""
            parameters = try ParameterValues(parsing: list, for: entry.descriptor.parameters, of: name)
        } catch {
            throw StoreError(.unavailable, "\(backend): \(parameter)=\(text): \(error.message)")
        }
        self.text = text
        self.entry = entry
    }

    /// Opens it; the directory is for one that needs it.
    package func open(directory: String?) throws(StoreError) -> any StorageBackend {
        try entry.open(directory: entry.descriptor.needsDirectory ? directory : nil, parameters: parameters)
    }
}
