import ArgumentParser
import CacheCore
import CachePlugins

/// The option that names plug-ins in other languages.
///
/// The libraries are loaded before the arguments are parsed: names of policies and backends are looked up and completed then.
package struct PluginSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A shared library with policies or backends in another language, as ./libmine.so; give it once for each. Its code runs "
                + "in this process.", valueName: "path"))
    var plugin: [String] = []

    package init() {}

    /// The libraries that arguments name, in their order.
    static func paths(in arguments: [String]) -> [String] {
        var paths: [String] = []
        var rest = arguments.prefix { $0 != "--" }
        while let word = rest.popFirst() {
            if word == "--plugin" {
                if let path = rest.popFirst() { paths.append(path) }
            } else if word.hasPrefix("--plugin=") {
                paths.append(String(word.dropFirst("--plugin=".count)))
            }
        }
        return paths
    }

    /// What a child of this process is given, so that it has the same plug-ins.
    static var arguments: [String] { Plugins.current.libraries.flatMap { ["--plugin", $0] } }
}

extension Plugins {
    /// These plug-ins, with the policies and backends of shared libraries behind them.
    ///
    /// - Throws: what ``PluginLibrary/init(_:)`` throws.
    func adding(_ paths: [String]) throws(AssayError) -> Plugins {
        var all = self
        for path in paths {
            let library = try PluginLibrary(path)
            all.libraries.append(library.path)
            all.policies += library.policies
            all.backends += library.backends
        }
        return all
    }
}
