#if Conformance
    import CacheConformance
    import CacheCore
    import Foundation

    /// `assay conform SUBJECT --suggest-claims`: the claims that a subject was found to keep.
    enum ClaimSuggestion {
        /// Probes a subject and prints the claims as JSON, which `--claims` reads; what is not proposed, and the deviations with
        /// which something is, go to standard error.
        ///
        /// - Parameters:
        ///   - limits: Which checks may be asked.
        ///   - end: When no more is tried.
        /// - Throws: `AssayError` with code `usage` for a subject that runs in this process, which a probe may end, and what
        ///   ``SubjectStart`` throws for one that cannot be asked.
        static func print(
            for selection: SubjectSelection, within limits: ConformLimits, until end: RunEnd, seed: UInt64,
            isQuiet: Bool
        ) throws(AssayError) {
            guard selection.place == .elsewhere, let process = selection.subject as? ProcessSubject else {
                throw AssayError(.usage, "--suggest-claims probes a subject in another process. Name exec:COMMAND.")
            }
            let ending = end.ending(process)
            defer { ending?.cancel() }
            do throws(AssayError) { try SubjectStart.check(selection.subject) } catch {
                // Claims are what is looked for: a subject need not make any.
                guard error.code == .usage else { throw error }
            }
            let checks = try limits.limited(ConformanceSuite.cache).checks
            let proposal = ClaimProposal(
                of: selection.subject, seed: seed, policies: Plugins.current.ruledPolicies, checks: checks,
                isOver: { end.isOver }
            ) {
                if !isQuiet { Console.error("trying \($0)") }
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            do { Console.print(String(decoding: try encoder.encode(proposal.claims), as: UTF8.self)) } catch {
                throw AssayError(.internalError, "The claims cannot be written.", cause: "\(error)")
            }
            for deviation in proposal.claims.statedDeviations {
                Console.error(
                    "proposed with the deviation \(deviation.name): \(deviation.sentence) Does its documentation say so?"
                )
            }
            for rejection in proposal.rejections where !rejection.lacksOperation {
                Console.error(
                    "not proposed: \(rejection.claim): \(rejection.check.map { "\($0): " } ?? "")\(rejection.reason)")
            }
            let lacking = proposal.rejections.filter(\.lacksOperation).map(\.claim)
            guard !lacking.isEmpty else { return }
            Console.error(
                "not proposed, as their operations are answered 'unsupported': \(lacking.joined(separator: ", "))")
        }
    }
#endif
