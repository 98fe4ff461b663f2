public import CacheCore

/// A small experiment with a system beside its workload: what one of its features costs, or what it comes to.
///
/// ### When what is called
/// The probes of a system are made one after the other, in a child process of their own, each with a directory that is empty.
///
/// ### Implementers' notes
/// - Verify what comes back, and throw an `AssayError` of code `verdict` for what is wrong.
/// - Let what is compared take turns, with `ProbeRounds`, and report medians: the machine does other things too.
/// - Counts must be the same each time. Multiply what takes long by ``SystemRunSetup/scale``, down to a size that still says something.
/// - Name each figure as a reader of the report would; no two figures of a system may have one name.
public struct SystemProbe: Sendable {
    /// What is tried, in a few words: it names a directory and, if something is wrong, the probe.
    public let name: String
    /// Makes the experiment.
    public let body: @Sendable (SystemRunSetup) throws -> [SystemFigure]

    /// A probe.
    public init(_ name: String, _ body: @escaping @Sendable (SystemRunSetup) throws -> [SystemFigure]) {
        self.name = name
        self.body = body
    }

    /// Makes the experiment in a directory of its own inside that of the setup.
    ///
    /// - Throws: `AssayError` with the code of what went wrong, `verdict` for a wrong answer, and the probe's name.
    func run(_ setup: SystemRunSetup) throws(AssayError) -> [SystemFigure] {
        var setup = setup
        setup.directory += "/" + name.replacing(" ", with: "-")
        do { return try body(setup) } catch {
            let known = error as? AssayError
            throw AssayError(
                known?.code ?? .internalError, "\(name): \(known?.message ?? "\(error)")", at: known?.location,
                cause: known?.cause)
        }
    }
}

extension SystemRunSetup {
    /// A number that a probe takes at full scale, made smaller with the workload, and never less than `least`.
    func probeCount(_ number: Int, least: Int) -> Int { max(least, Int((Double(number) * scale).rounded())) }
}
