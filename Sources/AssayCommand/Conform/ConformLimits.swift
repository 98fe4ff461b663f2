#if Conformance
    import ArgumentParser
    import CacheConformance
    import CacheCore

    /// Which checks `assay conform` asks.
    struct ConformLimits: ParsableArguments {
        @Option(
            help:
                "Only these sections and checks, separated by commas: BAS,KEY,TTL-5. Of every profile unless one is named."
        )
        var section: String?

        @Option(help: "Not these sections and checks, separated by commas. What is not asked blocks nothing.")
        var skip: String?

        @Option(
            help: """
                How much to ask: core (what matters to every cache, in seconds), extended (the default), experimental (also checks \
                that are new, that no real cache has failed, or that have no verdict). Each includes the ones before it.
                """)
        var profile: String?

        @Option(
            help: """
                Begin no check after so many seconds, over all subjects. What was not asked is inconclusive, and without a failure the \
                status is 6 then. A check that is under way is stopped, too, with the process of exec:COMMAND. With --suggest-claims \
                what is not decided by then is not proposed.
                """)
        var timeLimit: Double?

        /// Refuses what makes no sense.
        ///
        /// - Throws: `AssayError` with code `usage`.
        func check() throws(AssayError) {
            if let timeLimit, !(timeLimit > 0 && timeLimit <= 1e9) {
                throw AssayError(.usage, "--time-limit is a number of seconds above 0. Leave it out for no limit.")
            }
            _ = try chosenProfile()
        }

        /// The profile that is asked; nil where sections are named and no profile is.
        func chosenProfile() throws(AssayError) -> Check.Profile? {
            guard let profile else { return section == nil ? .extended : nil }
            if let chosen = Check.Profile(rawValue: profile) { return chosen }
            let names = Check.Profile.allCases.map(\.rawValue)
            let near = nearestName(to: profile, among: names).map { " Did you mean '\($0)'?" } ?? ""
            throw AssayError(
                .usage, "There is no profile '\(profile)'.\(near) There are \(names.joined(separator: ", ")).")
        }

        /// The checks of a suite that are asked.
        ///
        /// - Throws: `AssayError` with code `usage` for a section, a check or a profile that does not exist, and if no check is left.
        func limited(_ suite: ConformanceSuite) throws(AssayError) -> ConformanceSuite {
            var limited = suite
            if let section { limited = try limited.limited(to: Self.names(section)) }
            if let skip { limited = limited.without(try Plugins.current.everyCheck.known(Self.names(skip))) }
            if let profile = try chosenProfile() { limited = limited.limited(to: profile) }
            guard limited.checks.isEmpty else { return limited }
            throw AssayError(
                .usage, "No check is left of the suite '\(suite.name)'. Name another --profile, or skip less.")
        }

        private static func names(_ list: String) -> [String] { list.split(separator: ",").map(String.init) }
    }
#endif
