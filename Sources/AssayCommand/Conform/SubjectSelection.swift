#if Conformance
    import CacheConformance
    import CacheCore
    import CacheEngineSubjects
    import CacheHarness

    /// A subject of `assay conform` as it is named on the command line.
    struct SubjectSelection {
        /// Where a subject runs.
        enum Place {
            /// In a process of its own already: nothing it does ends this one.
            case elsewhere
            /// In a child process that serves check after check until one ends it.
            case child
            /// In a new child process for each check, since it keeps memory for good.
            case childEach
        }

        let subject: any CacheSubject
        let place: Place
        /// What it is asked.
        private let suite: ConformanceSuite

        /// Whether it is an eviction policy.
        var isPolicy: Bool { suite.name == ConformanceSuite.policy.name }

        /// What every cache is asked.
        static var everyCache: ConformanceSuite { ConformanceSuite.cache.with(Plugins.current.checks) }

        /// What it is asked: of a bare store the sections of stores, unless sections are named, which may be any of a cache's.
        func suite(namesSections: Bool) -> ConformanceSuite {
            if isPolicy { return suite }
            return suite.name == ConformanceSuite.storage.name && namesSections
                ? Self.everyCache : suite.with(Plugins.current.checks)
        }

        /// What `exec:COMMAND` begins with.
        private static let exec = "exec:"
        /// What `policy:NAME` begins with.
        private static let policy = "policy:"

        /// What `--clock` can name.
        private static let faketime = "faketime"

        /// Finds a subject, with other claims than its own if some are given, on its own clock or on one that the suite moves.
        ///
        /// - Throws: `AssayError` with code `usage` for a name that nothing has, and with code `unavailable` where a clock is missing.
        init(_ name: String, claims: Claims?, answerSeconds: Double, clock: String? = nil) throws(AssayError) {
            if let clock {
                guard clock == Self.faketime else {
                    throw AssayError(
                        .usage, "There is no clock '\(clock)'. Write --clock \(Self.faketime), or leave it out.")
                }
                guard name.hasPrefix(Self.exec) else {
                    throw AssayError(
                        .usage, "--clock is for exec:COMMAND: '\(name)' runs on a clock of the suite already.")
                }
            }
            if name.hasPrefix(Self.exec) {
                let command = String(name.dropFirst(Self.exec.count))
                guard !command.allSatisfy(\.isWhitespace) else {
                    throw AssayError(.usage, "exec: names no command. Write 'exec:python3 adapter.py'.")
                }
                subject = ProcessSubject(
                    command: command, claims: claims, answerSeconds: answerSeconds,
                    policies: Plugins.current.ruledPolicies,
                    clock: try clock.map { (_) throws(AssayError) in try FakedClock() })
                (place, suite) = (.elsewhere, .cache)
                return
            }
            let own: any CacheSubject
            if let entry = Plugins.current.subjects.first(where: { $0.subject.name == name }) {
                own = entry.subject
                (place, suite) = (.child, entry.suite)
            } else if let (found, entry) = try Self.variant(name) {
                own = found
                (place, suite) = (.child, entry.suite)
            } else if let engine = try Self.engine(name) {
                own = engine
                (place, suite) = (.child, .cache)
            } else if name.hasPrefix(Self.policy) {
                guard claims == nil else {
                    throw AssayError(.usage, "A policy makes no claims; what is due follows from its descriptor.")
                }
                own = try Self.policy(name)
                (place, suite) = (.child, .policy)
            } else {
                let backend = name.prefix { $0 != ":" }
                guard Plugins.current.everyBackend.contains(where: { $0.descriptor.name == backend.lowercased() })
                else {
                    throw Self.unknown(name)
                }
                let selected = try Selection.backends([name])
                guard selected.count == 1 else { throw Self.unknown(name) }
                own = StorageSubject(selected[0].entry, parameters: selected[0].parameters)
                place = selected[0].entry.descriptor.needsOwnProcess ? .childEach : .child
                // Claims that were made for it may be those of a whole cache.
                suite = claims == nil ? .storage : .cache
            }
            subject = claims.map { ClaimedSubject(own, claims: $0) } ?? own
        }

        /// A variant of a subject that has some; nil for another name.
        private static func variant(_ name: String) throws(AssayError) -> (any CacheSubject, SubjectEntry)? {
            guard let colon = name.firstIndex(of: ":"),
                let entry = Plugins.current.subjects.first(where: { $0.subject.name == name[..<colon] }),
                let variant = entry.variant
            else { return nil }
            return (try variant(String(name[name.index(after: colon)...])).get(), entry)
        }

        /// The error for a name that is no subject's.
        private static func unknown(_ name: String) -> AssayError {
            if name.prefix(while: { $0 != ":" }) == "reference" {
                return DeveloperCommands.error("The subject '\(name)'")
            }
            if let missing = Part.missing(subject: String(name.prefix { $0 != ":" })) { return missing }
            let plugins = Plugins.current
            let names = plugins.subjects.map(\.subject.name) + plugins.everyBackend.map(\.descriptor.name)
            let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
            return AssayError(
                .usage,
                "There is no subject '\(name)'.\(near) There are exec:COMMAND, cache:POLICY, tiers:BACKEND, stored:BACKEND, "
                    + "bounded:BACKEND, policy:NAME, and \(names.joined(separator: ", ")).")
        }

        /// The policy that stands behind `policy:`.
        private static func policy(_ name: String) throws(AssayError) -> PolicySubject {
            let selected = try Selection.policies([String(name.dropFirst(policy.count))])
            guard selected.count == 1, !selected[0].entry.isBound else {
                throw AssayError(
                    .usage, "'\(name)' is not one policy that can drive a cache. Name one of 'assay list policies'.")
            }
            let entry = selected[0].entry
            return PolicySubject(
                entry, parameters: selected[0].parameters, twin: Plugins.current.twins[entry.descriptor.name])
        }

        /// The engine's cache, `cache:POLICY`, its cache of two tiers, `tiers:BACKEND`, its cache over a backend, `stored:BACKEND`,
        /// or its backend with a limit, `bounded:BACKEND`, with options after a `+`; nil for another name.
        private static func engine(_ name: String) throws(AssayError) -> (any CacheSubject)? {
            let prefixes = [EngineSubject.prefix, TieredSubject.prefix, StoredSubject.prefix, BoundedSubject.prefix]
            for prefix in prefixes where name.hasPrefix(prefix) {
                let parts = name.dropFirst(prefix.count).split(separator: "+", omittingEmptySubsequences: false).map(
                    String.init)
                let options = Array(parts.dropFirst())
                if prefix == EngineSubject.prefix { return try cache(parts[0], options) }
                let lower = try Selection.backends([parts[0]])
                if prefix != TieredSubject.prefix { return try limited(name, prefix, lower, options) }
                guard lower.count == 1, options.isEmpty || options == ["back"] else {
                    throw AssayError(
                        .usage, "'\(name)' is no cache of two tiers. Write tiers:BACKEND or tiers:BACKEND+back.")
                }
                let policy = try Selection.policies(["lru"])[0].entry
                return TieredSubject(
                    policy, over: lower[0].entry, parameters: lower[0].parameters, isBack: !options.isEmpty)
            }
            return nil
        }

        /// A policy over a backend, as a cache or as a backend again.
        private static func limited(
            _ name: String, _ prefix: String, _ lower: [BackendSelection], _ options: [String]
        ) throws(AssayError) -> any CacheSubject {
            let policies = try Selection.policies(options.isEmpty ? ["lru"] : options)
            guard lower.count == 1, policies.count == 1, !policies[0].entry.isBound,
                !policies[0].entry.descriptor.isUnbounded, !policies[0].entry.descriptor.learns
            else {
                throw AssayError(
                    .usage,
                    "'\(name)' is not one backend with one policy. Write \(prefix)BACKEND or \(prefix)BACKEND+POLICY.")
            }
            let (policy, rules) = (policies[0].entry, policies[0].parameters)
            let (backend, parameters) = (lower[0].entry, lower[0].parameters)
            return prefix == StoredSubject.prefix
                ? StoredSubject(policy, rules: rules, over: backend, parameters: parameters)
                : BoundedSubject(policy, rules: rules, over: backend, parameters: parameters)
        }

        private static func cache(_ policy: String, _ words: [String]) throws(AssayError) -> EngineSubject {
            let selected = try Selection.policies([policy])
            guard selected.count == 1, !selected[0].entry.isBound, !selected[0].entry.descriptor.isUnbounded,
                !selected[0].entry.descriptor.learns
            else {
                throw AssayError(
                    .usage, "'\(policy)' is not one policy that can drive a cache. See 'assay list policies'.")
            }
            var options = EngineSubject.Options()
            for word in words {
                if word == "negative" {
                    options.isNegative = true
                } else if word == "relaxed" {
                    options.isRelaxed = true
                } else {
                    throw AssayError(
                        .usage,
                        "'\(word)' is no option of a cache. Write cache:POLICY+negative or cache:POLICY+relaxed."
                    )
                }
            }
            return EngineSubject(selected[0].entry, parameters: selected[0].parameters, options: options)
        }
    }
#endif
