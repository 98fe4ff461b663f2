public import CacheCore

/// Lets an object in unless the victim is asked for again sooner.
///
/// The bound for admission: an eviction policy can be better than with it only by choosing other victims. Caffeine's
/// `Clairvoyant` admittor. Knows the future, so it stands in simulations of whole traces only. O(1) a request; 4 bytes an
/// object of the trace.
public struct ClairvoyantAdmission: ~Copyable, AdmissionPolicy {
    /// The next request of each object, `.max` for never.
    private let next: FixedBuffer<UInt32>

    /// It has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clairvoyant", family: "admission",
            summary: "Lets an object in unless the victim is asked for again sooner.",
            citation: "after Belady, IBM Systems Journal 5(2), 1966; Caffeine's simulator")
    }

    /// True: it compares next requests.
    public static var needsFuture: Bool { true }
    /// True: it remembers each object's next request.
    public static var needsRecord: Bool { true }

    /// A filter that has seen no request.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        next = FixedBuffer(repeating: .max, count: configuration.objects.count)
    }

    /// Takes note of the next request.
    public mutating func record(_ request: Request) { next[request.id] = UInt32(clamping: request.nextIndex) }

    /// Compares the next requests.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        guard let victim else { return true }
        return next[request.id] <= next[victim]
    }
}
