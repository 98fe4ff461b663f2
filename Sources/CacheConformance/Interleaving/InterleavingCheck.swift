import CacheCore

/// The body of the check of caches whose operations suspend.
enum InterleavingCheck {
    /// The most orders of a program that are tried.
    private static let ordersMax = 60
    /// As many fewer for a cache that works on a disk.
    private static let ordersMaxOnDisk = 8
    private static let randomPrograms = 40
    /// How many programs of each kind are drawn for a cache that works on a disk, and where many seeds have their share.
    private static let programsDrawn = 15

    static func verify(_ context: CheckContext) throws(CheckStop) {
        let isOnDisk = context.subject.needsDirectory
        let search = InterleavingSearch(context: context, ordersMax: isOnDisk ? ordersMaxOnDisk : ordersMax)
        let kinds = kinds(context.claims)
        var generator = context.generator
        var programs = InterleavedProgram.small(kinds)
        let isShare = isOnDisk || context.isOneOfMany
        if isShare { programs = (0..<programsDrawn).map { _ in programs[generator.next(below: programs.count)] } }
        programs += (0..<(isShare ? programsDrawn : randomPrograms)).map { _ in .random(kinds, &generator) }
        var tally = InterleavingSearch.Tally()
        for program in programs {
            if let finding = try search.find(program, &tally) {
                // Each run that is stuck takes its time.
                throw .failed(failure(context, finding.run.isStuck ? finding : search.shrink(finding)))
            }
        }
        guard tally.hits > 0 else { throw .blocked("the witness: no read found anything") }
        guard tally.forks > 0 else { throw .blocked("the witness: there never were two clients that could go on") }
    }

    private static func kinds(_ claims: Claims) -> [HistoryOperation.Kind] {
        [.get, .put, .remove, .putIfAbsent, .replace, .compareAndSet, .getAndPut, .getAndRemove].filter {
            $0.isCovered(by: claims)
        }
    }

    private static func failure(
        _ context: CheckContext, _ finding: InterleavingSearch.Finding
    ) -> CheckFailure {
        let run = finding.run
        let steps = run.history.operations.sorted { $0.callTime < $1.callTime }.map { operation in
            let end = operation.isPending ? "…" : "\(operation.returnTime)"
            let who = operation.client == 0 ? "alone   " : "client \(operation.client)"
            return "\(who)  events \(operation.callTime)–\(end)  \(run.history.text(of: operation))"
        }
        let choices = run.choices.map(String.init).joined(separator: " ")
        return CheckFailure(
            seed: context.seed, dueTo: "suspends", observed: "in one order of steps: \(finding.complaint)",
            permitted: "answers that one operation after the other explains, in every order of steps", program: nil,
            steps: steps + ["of the jobs that are ready these go on, by number from 0: \(choices)"],
            history: finding.report?.result(of: run.history, source: "\(context.subject.name) \(context.check.id)"),
            operationsAsked: context.operationsAsked)
    }
}
