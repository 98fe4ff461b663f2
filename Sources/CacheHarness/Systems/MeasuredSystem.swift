public import CacheCore

/// A complete system under a workload that shows its point, as a run drives it.
///
/// ### When what is called
/// A run makes one for each of its passes, opens it in an empty directory, has it make all steps in order, in blocks, and closes it.
/// Everything happens on one thread; the memory pass opens it once more at the end.
///
/// ### Implementers' notes
/// - Draw the workload in the initialiser, before ``open()``: what it takes up is the harness's and not the system's.
/// - Verify every answer, and throw an `AssayError` of code `verdict` for one that is wrong.
/// - Take the time from a virtual clock, and count the origin's time instead of waiting for it. The same workload must give the same counts.
/// - Tell the ``SystemCallRecorder`` of every call.
public protocol MeasuredSystem: AnyObject {
    /// How many steps the workload has.
    var stepCount: Int { get }
    /// What the origin was asked so far.
    var origin: OriginCounts { get }
    /// Other ways to make the same calls, such as without the cache. By default there are none.
    var alternatives: [String] { get }

    /// Opens the system, empty or as it was left.
    func open() throws
    /// Makes some steps of the workload: those after the ones that were made last.
    func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws
    /// Makes some steps in another way, by its place in ``alternatives``. By default does nothing.
    func drive(_ steps: Range<Int>, alternative: Int) throws
    /// How many entries are kept.
    func entries() throws -> Int
    /// What only this system can say of itself, once all steps are made.
    func figures() throws -> [SystemFigure]
    /// Closes the system.
    func close() throws
}

extension MeasuredSystem {
    /// There are none.
    public var alternatives: [String] { [] }
    /// Does nothing.
    public func drive(_ steps: Range<Int>, alternative: Int) throws {}
}

/// What an origin was asked, exactly.
public struct OriginCounts: Codable, Sendable, Hashable {
    /// Requests, those that failed included.
    public var requests = 0
    /// Bytes that it sent.
    public var bytes = 0
    /// Virtual time that it took, in nanoseconds.
    public var nanoseconds = 0

    /// Nothing yet.
    public init() {}

    /// Counts of an origin.
    public init(requests: Int, bytes: Int, nanoseconds: Int) {
        self.requests = requests
        self.bytes = bytes
        self.nanoseconds = nanoseconds
    }
}
