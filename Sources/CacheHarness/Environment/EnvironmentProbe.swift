public import CacheCore
internal import Foundation

/// Finds out what machine and build this is.
public enum EnvironmentProbe {
    /// A description of this machine and build. The memory allocator is filled in by whoever measures memory.
    public static func describe(memoryAllocator: String) -> EnvironmentDescription {
        var names = utsname()
        uname(&names)
        return EnvironmentDescription(
            operatingSystem: operatingSystem(), kernel: text(names.release), processor: processor(),
            processorCount: ProcessInfo.processInfo.activeProcessorCount,
            memoryBytes: Int(ProcessInfo.processInfo.physicalMemory), build: build(), timingAllocator: "system",
            memoryAllocator: memoryAllocator, loadAverage: TimingConditions.ofProcess.loadAverage)
    }

    private static func operatingSystem() -> String {
        #if os(Linux)
            if let name = field("PRETTY_NAME=", in: "/etc/os-release") { return name.filter { $0 != "\"" } }
        #endif
        return ProcessInfo.processInfo.operatingSystemVersionString
    }

    private static func processor() -> String {
        #if os(Linux)
            if let name = field("model name", in: "/proc/cpuinfo") {
                return name.drop { $0 == ":" || $0.isWhitespace }.description
            }
        #endif
        #if arch(x86_64)
            return "x86-64"
        #elseif arch(arm64)
            return "arm64"
        #else
            return "unknown"
        #endif
    }

    private static func build() -> String {
        #if compiler(>=6.3)
            let compiler = "Swift 6.3 or later"
        #else
            let compiler = "Swift 6.2"
        #endif
        #if DEBUG
            return compiler + ", debug"
        #else
            return compiler + ", release"
        #endif
    }

    static func loadAverage() -> Double? {
        var load = [0.0]
        return getloadavg(&load, 1) == 1 ? (load[0] * 100).rounded() / 100 : nil
    }

    /// What follows a line's beginning in a file; nil without such a line.
    static func field(_ name: String, in path: String) -> String? {
        guard let content = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        guard let line = content.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
    }

    private static func text<Tuple>(_ tuple: Tuple) -> String {
        withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
