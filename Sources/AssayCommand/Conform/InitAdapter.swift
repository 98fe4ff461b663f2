#if Conformance
    import CacheCore
    import CacheKits

    /// `assay conform init LANGUAGE FOLDER`: writes an adapter kit with a skeleton that works.
    enum InitAdapter {
        /// The subject's name on the command line that asks for it.
        static let word = "init"

        /// Writes the kit and tells how to run it.
        ///
        /// - Parameter arguments: Everything after `conform`.
        static func run(_ arguments: [String]) throws(AssayError) {
            let languages = AdapterKit.all.map(\.language).joined(separator: "|")
            guard arguments.count == 3, arguments.first == word else {
                throw AssayError(
                    .usage, "Write 'assay conform init \(languages) FOLDER', with nothing else beside it.")
            }
            let commands = try AdapterKit.named(arguments[1]).write(to: arguments[2])
            Console.print("\(arguments[2]) has a working adapter over a small cache. Hold it against the suite:")
            for command in commands { Console.print("  \(command)") }
        }
    }
#endif
