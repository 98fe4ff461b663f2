public import CacheCore
internal import Foundation

/// The workloads in some folders, each a YAML file named after it.
public struct WorkloadCatalog: Sendable {
    /// The folders, in the order in which they are searched.
    public let directories: [String]

    /// A catalog of some folders; those that do not exist hold nothing.
    public init(directories: [String]) { self.directories = directories }

    /// Every name, sorted.
    public var names: [String] { Set(files().map(\.name)).sorted() }

    /// Every workload, sorted by name.
    ///
    /// - Throws: `AssayError` with code `badInput` and the place for a malformed file, `inputOutput` if one cannot be read.
    public func all() throws(AssayError) -> [Workload] {
        var workloads: [Workload] = []
        for name in names { workloads.append(try workload(named: name)) }
        return workloads
    }

    /// Whether a workload has this name.
    public func contains(_ name: String) -> Bool { files().contains { $0.name == name } }

    /// The workload with a name; the first folder that has it decides.
    ///
    /// - Throws: `AssayError` with code `usage` for an unknown name, with the nearest one; else as ``all()``.
    public func workload(named name: String) throws(AssayError) -> Workload {
        guard let file = files().first(where: { $0.name == name }) else { throw unknown(name) }
        return try WorkloadFile.read(file.path)
    }

    /// The workload in a file, or with a name.
    ///
    /// A text with a `/`, or that ends as a workload's file does, is a path.
    ///
    /// - Throws: as ``workload(named:)``.
    public func workload(_ nameOrPath: String) throws(AssayError) -> Workload {
        if nameOrPath.contains("/") || Self.isWorkloadFile(nameOrPath) { return try WorkloadFile.read(nameOrPath) }
        return try workload(named: nameOrPath)
    }

    /// Every workload of a system; those of all systems for nil. Sorted by name.
    ///
    /// - Throws: as ``all()``.
    public func systemWorkloads(of system: String? = nil) throws(AssayError) -> [Workload] {
        try all().filter { workload in
            guard case .system(let found) = workload.source else { return false }
            return system == nil || found.system == system
        }
    }

    /// The error for a name that is no workload's. Workloads of systems are not offered: a trace is wanted mostly.
    func unknown(_ name: String) -> AssayError {
        let names = names.filter { name in
            if case .system = try? workload(named: name).source { return false }
            return true
        }
        let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        let known =
            names.isEmpty
            ? "There are none in \(directories.joined(separator: ", "))."
            : "There are \(names.joined(separator: ", "))."
        return AssayError(.usage, "No workload and no file is named '\(name)'. \(known)\(near)")
    }

    private func files() -> [(name: String, path: String)] {
        directories.flatMap { directory in
            let found = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return found.sorted().filter(Self.isWorkloadFile).map { file in
                (URL(filePath: file).deletingPathExtension().lastPathComponent, directory + "/" + file)
            }
        }
    }

    /// Whether a file's name is that of a workload.
    static func isWorkloadFile(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }
}
