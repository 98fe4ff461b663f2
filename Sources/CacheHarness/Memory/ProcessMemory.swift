internal import Foundation

/// What the operating system says about this process's memory.
package enum ProcessMemory {
    /// The resident set now, in bytes; nil where the system does not tell.
    package static func residentSetBytes() -> Int? { kilobytes("VmRSS:") }

    /// The highest that the resident set has been, in bytes; nil where the system does not tell.
    static func peakResidentBytes() -> Int? { kilobytes("VmHWM:") }

    private static func kilobytes(_ field: String) -> Int? {
        #if os(Linux)
            guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
            guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) }) else { return nil }
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        #else
            return nil
        #endif
    }
}
