internal import CAssayPlugin
public import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A shared library with policies and backends in another language, loaded into this process.
///
/// What it must define is in `assay_plugin.h`. It stays loaded until the process ends. Its code runs in this process: what it answers is
/// checked, but a plug-in that writes where it may not, or never returns, takes the process with it.
public struct PluginLibrary: Sendable {
    /// The library's file, as an absolute path without links.
    public let path: String
    /// Its policies, in its order.
    public let policies: [PolicyEntry]
    /// Its backends, in its order.
    public let backends: [BackendEntry]

    /// The most policies, and the most backends, of one library.
    private static let countMax: UInt64 = 256

    /// Loads a library by its path.
    ///
    /// - Throws: `AssayError` located at the file, with code `inputOutput` if there is no such file, and `badInput` if it is no shared
    ///   library, defines no `assay_plugin_entry`, is of another version, or describes something that Assay does not take.
    public init(_ path: String) throws(AssayError) {
        let absolute = try Self.file(path)
        self.path = absolute
        do throws(AssayError) {
            let plugin = try Self.described(absolute)
            policies = try Self.read(plugin.policies, plugin.policy_count, "policies") {
                (start, number) throws(AssayError) in
                let table = try Self.checked(start, start.pointee.struct_size, "Policy \(number)")
                return try PluginPolicyDescription(table, number: number, of: absolute).entry
            }
            backends = try Self.read(plugin.backends, plugin.backend_count, "backends") {
                (start, number) throws(AssayError) in
                let table = try Self.checked(start, start.pointee.struct_size, "Backend \(number)")
                return try PluginBackendDescription(table, number: number, of: absolute).entry
            }
        } catch { throw error.located(at: .init(absolute)) }
        guard !policies.isEmpty || !backends.isEmpty else {
            throw AssayError(.badInput, "The plug-in has neither policies nor backends.", at: .init(absolute))
        }
    }

    /// The absolute path of a regular file.
    private static func file(_ path: String) throws(AssayError) -> String {
        func unreadable(_ code: Int32) -> AssayError {
            AssayError(
                .inputOutput, "The plug-in cannot be read. Check the path and its permissions.", at: .init(path),
                cause: String(cString: strerror(code)))
        }
        guard let resolved = realpath(path, nil) else { throw unreadable(errno) }
        defer { free(resolved) }
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw AssayError(
                .badInput, "This is no file. Name the shared library itself, as ./libmine.so.", at: .init(path))
        }
        return String(cString: resolved)
    }

    /// What a library says of itself.
    private static func described(_ path: String) throws(AssayError) -> assay_plugin {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw AssayError(
                .badInput, "This is no shared library that can be loaded here.",
                cause: dlerror().map { String(cString: $0) })
        }
        guard let symbol = dlsym(library, "assay_plugin_entry") else {
            throw AssayError(
                .badInput,
                "The library defines no function 'assay_plugin_entry', so it is no plug-in. See assay_plugin.h.")
        }
        let entry = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<assay_plugin>?).self)
        guard let plugin = entry() else {
            throw AssayError(.badInput, "The function 'assay_plugin_entry' returns nothing.")
        }
        guard plugin.pointee.version == ASSAY_PLUGIN_VERSION else {
            throw AssayError(
                .badInput,
                "The plug-in is of version \(plugin.pointee.version) of assay_plugin.h, and this Assay takes version "
                    + "\(ASSAY_PLUGIN_VERSION). Compile it with this version's header.")
        }
        return try checked(plugin, plugin.pointee.struct_size, "The plug-in")
    }

    /// A description, if it is as long as this version's.
    private static func checked<Table>(
        _ start: UnsafePointer<Table>, _ size: UInt32, _ what: String
    ) throws(AssayError) -> Table {
        guard size >= MemoryLayout<Table>.size else {
            throw AssayError(
                .badInput,
                "\(what) says that its description has \(size) bytes, and \(MemoryLayout<Table>.size) are needed. Set "
                    + "struct_size to the size of the structure.")
        }
        return start.pointee
    }

    private static func read<Table, Entry>(
        _ tables: UnsafePointer<UnsafePointer<Table>?>?, _ count: UInt64, _ what: String,
        _ body: (UnsafePointer<Table>, Int) throws(AssayError) -> Entry
    ) throws(AssayError) -> [Entry] {
        guard count <= countMax else {
            throw AssayError(.badInput, "The plug-in has \(count) \(what), and at most \(countMax) are read.")
        }
        var entries: [Entry] = []
        for number in 0..<Int(count) {
            guard let table = tables?[number] else {
                throw AssayError(.badInput, "The plug-in says that it has \(count) \(what), and gives \(number).")
            }
            entries.append(try body(table, number + 1))
        }
        return entries
    }
}
