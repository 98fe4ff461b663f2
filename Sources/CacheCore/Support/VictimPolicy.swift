/// A policy that makes room by giving up one victim after another before the newcomer enters: the shape of most.
///
/// Conform to this instead of ``EvictionPolicy`` alone and leave `insert` to the extension. It refuses what can never
/// fit, asks ``willAdmit(_:weight:into:)``, calls ``evictOne(into:)`` until there is room, and then
/// ``admit(_:weight:into:)``. A refused object is forgotten wholly: a ghost of it is removed too.
public protocol VictimPolicy: EvictionPolicy, ~Copyable {
    /// The most weight that may be resident.
    var capacity: Int { get }

    /// What a request weighs: `Sizes.weight(of: request)`.
    static func weight(of request: Request) -> Int

    /// Looks at an object before room is made for it: finds its ghost, adapts, or refuses it by returning false.
    ///
    /// The default admits everything.
    mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool

    /// Gives up a resident object, or moves some so that one of the next calls does. Called only while something is resident.
    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink)

    /// Makes an object resident; there is room for it.
    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink)
}

extension VictimPolicy where Self: ~Copyable {
    /// Admits everything.
    @inlinable @inline(__always)
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool { true }

    /// Refuses what can never fit, makes room, admits.
    @inlinable
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Self.weight(of: request)
        guard weight <= capacity, willAdmit(request, weight: weight, into: &sink) else {
            remove(request.id)
            sink.forgotten(request.id)
            return false
        }
        while residentWeight + weight > capacity { evictOne(into: &sink) }
        admit(request, weight: weight, into: &sink)
        return true
    }
}
