internal import CacheEngine
public import Foundation

/// When an object in an ``ExpiringDiskCache`` expires: from that moment on it is not served.
public enum CacheExpiry: Sendable, Hashable {
    /// Never.
    case never
    /// So many seconds after it is stored; infinity is never. What is 0 or less, or no number, has passed already.
    case seconds(Double)
    /// At a date; one that has come already has passed, and one that is no number too.
    case date(Date)

    /// The same for the engine, which counts nanoseconds: what does not fit is never.
    var entryExpiry: EntryExpiry {
        switch self {
        case .never: .never
        case .seconds(let seconds):
            if seconds.isNaN {
                .after(.zero)
            } else {
                Self.nanoseconds(seconds).map { .after(.nanoseconds($0)) } ?? .never
            }
        case .date(let date):
            if date.timeIntervalSince1970.isNaN {
                .after(.zero)
            } else {
                Self.nanoseconds(date.timeIntervalSince1970).map { .at(nanosecondsSince1970: $0) } ?? .never
            }
        }
    }

    /// Whole nanoseconds; nil for more than there can be. Less than there can be is the least.
    private static func nanoseconds(_ seconds: Double) -> Int64? {
        let scaled = (seconds * 1e9).rounded()
        if scaled >= 0x1p63 { return nil }
        return scaled <= -0x1p63 ? .min : Int64(scaled)
    }
}
