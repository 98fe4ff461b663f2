public import CacheCore
public import CacheHarness
public import CacheWorkloads

/// A system under a workload, as it is registered: what its workload's settings are, and how it is made.
///
/// ### Purpose
/// One file for each system says what a workload of it does: it draws requests from the settings, stands in for the origin, and drives
/// the system as a program would. `assay run --system` measures all of them alike.
///
/// ### Implementers' notes
/// As for `MeasuredSystem`, and: declare every setting, so that a misspelt one in a file is an error with its line; multiply by
/// ``SystemRunSetup/scale`` whatever makes the workload longer or wider, by ``SystemRunSetup/scaled(_:)``.
public protocol RunnableSystem: MeasuredSystem, SendableMetatype {
    /// The system's name, as `assay conform` has it.
    static var name: String { get }
    /// What its workloads can set.
    static var settings: [ParameterSpecification] { get }
    /// Whether it keeps its entries in a backend, in a directory.
    static var keepsFiles: Bool { get }
    /// Experiments with it beside its workload. By default there are none.
    static var probes: [SystemProbe] { get }

    /// Draws the workload; the system itself is made by `open()`.
    ///
    /// - Throws: `AssayError` for settings that do not go together.
    init(_ setup: SystemRunSetup) throws
}

extension RunnableSystem {
    /// There are none.
    public static var probes: [SystemProbe] { [] }
}

/// What a system is run with.
public struct SystemRunSetup: Sendable {
    /// The policy of memory, and of the store where that is bounded.
    public var policy: PolicyEntry
    /// The backend, for a system that keeps its entries in one.
    public var backend: BackendEntry?
    /// The backend's parameters; nil for the defaults.
    public var backendParameters: ParameterValues?
    /// The directory, which belongs to the system.
    public var directory: String
    /// The workload's settings.
    public var values: ParameterValues
    /// The seed of everything random.
    public var seed: UInt64
    /// How large the workload is, as a part of what its settings say: more than 0, at most 1.
    public var scale: Double

    /// What a system is run with.
    public init(
        policy: PolicyEntry, backend: BackendEntry?, backendParameters: ParameterValues? = nil, directory: String,
        values: ParameterValues, seed: UInt64 = 1, scale: Double = 1
    ) {
        self.policy = policy
        self.backend = backend
        self.backendParameters = backendParameters
        self.directory = directory
        self.values = values
        self.seed = seed
        self.scale = scale
    }

    /// A whole number among the settings that grows with the workload; at least 1.
    func scaled(_ name: String) -> Int { max(1, Int((Double(values.integer(name)) * scale).rounded())) }

    /// Opens the backend in the directory.
    func openStore() throws -> any StorageBackend {
        guard let backend else { preconditionFailure("a system without files opens no store") }
        return try backend.open(directory: directory + "/store", parameters: backendParameters)
    }
}

/// A registered system.
public struct SystemRunEntry: Sendable {
    /// The system's name.
    public let name: String
    /// What its workloads can set.
    public let settings: [ParameterSpecification]
    /// Whether it keeps its entries in a backend, in a directory.
    public let keepsFiles: Bool
    /// Experiments with it beside its workload.
    public let probes: [SystemProbe]
    /// Makes the system under its workload.
    public let make: @Sendable (SystemRunSetup) throws -> any MeasuredSystem

    /// An entry for a system.
    public init<System: RunnableSystem>(_ type: System.Type) {
        name = type.name
        settings = type.settings
        keepsFiles = type.keepsFiles
        probes = type.probes
        make = { try System($0) }
    }

    /// Makes all experiments with the system, one after the other, in the setup's directory; returns their figures.
    ///
    /// - Throws: `AssayError` of code `verdict` for a wrong answer; what the system throws.
    public func probe(_ setup: SystemRunSetup) throws(AssayError) -> [SystemFigure] {
        var figures: [SystemFigure] = []
        for probe in probes { figures += try probe.run(setup) }
        return figures
    }

    /// The settings of a workload.
    ///
    /// - Throws: `AssayError` with code `badInput` and file and line for a setting that the system does not have, with the nearest one,
    ///   and for a value out of range.
    public func values(of workload: Workload) throws(AssayError) -> ParameterValues {
        var values = ParameterValues(defaults: settings)
        guard case .system(let system) = workload.source, system.system == name else {
            throw AssayError(
                .usage, "'\(workload.name)' is not a workload of \(name). See 'assay list workloads'.",
                at: AssayError.Location(workload.path))
        }
        for setting in system.settings {
            do throws(AssayError) { try values.set(setting.name, setting.text, of: name) } catch {
                throw AssayError(
                    .badInput, error.message, at: AssayError.Location(workload.path, line: setting.line))
            }
        }
        return values
    }
}
