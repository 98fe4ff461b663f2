#if Watch
    import ArgumentParser
    import CacheCore
    import CacheWatch
    import Foundation
    import Synchronization

    /// `assay watch`: runs a command and shows how far it is on a page.
    struct WatchCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Run a command and show how far it is on a page in the browser.",
            discussion: """
                Everything behind 'watch' and its options is the command as always: run, bench, curve, advise or conform. Its \
                output, its files and its exit status are the same. The address of the page is told on standard error before it \
                begins.

                The page says what is done, what runs, what is left and how long that may take, what has failed, and the figures so \
                far. A reload or a lost connection loses nothing. At the end it turns into the report; where the command failed, it \
                says why, with a link to the report. Of conform it shows a report without --html, too.

                After the command has ended, the page is served until no browser has it open any more: at most 10 minutes, and 10 \
                seconds where none has. Who has it open when the report comes needs the server no longer. --linger says another time. Ctrl-C ends it at once. The report is in its file anyway.

                The server is part of this process and can be reached from this machine alone, by every user of it. It only shows. \
                Its work is small, but takes place beside what is measured: take times that matter without it.

                EXAMPLES
                  assay watch run --trace build-files --policy 'all' --capacity 1%,10%
                  assay watch --port 8765 bench --trace zipf-20m --policy lru,s3fifo
                  assay watch --linger 3600 conform file
                """)

        @Option(help: ArgumentHelp("The port of the page (default: 0, a free one).", valueName: "number"))
        var port = 0

        @Option(
            help: ArgumentHelp(
                "How long the page is served after the command has ended (default: while a browser has it open, as above).",
                valueName: "seconds"))
        var linger: Double?

        @Argument(parsing: .captureForPassthrough, help: "The command and its options.")
        var command: [String] = []

        /// What has progress and a report to show.
        static let watchable = ["run", "bench", "curve", "advise", "conform"]

        func validate() throws {
            guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
            if let linger, !(linger >= 0 && linger <= 1e9) {
                throw ValidationError("--linger must be from 0 to 1e9 seconds.")
            }
        }

        func run() async throws {
            let words = command.first == "--" ? Array(command.dropFirst()) : command
            // The parser leaves everything that it does not know to the command, these too.
            if let first = words.first, ["--help", "-h"].contains(first) { throw CleanExit.helpRequest(self) }
            guard let name = words.first, Self.watchable.contains(name) else {
                let known = Self.watchable.joined(separator: ", ")
                let wrong = words.first.map { "'\($0)' cannot be watched" } ?? "No command to watch is named"
                throw AssayError(.usage, "\(wrong). There are \(known), as in: assay watch run --trace build-files.")
            }
            Assay.watchWords.store(CommandLine.arguments.count - 1 - words.count, ordering: .relaxed)
            // What cannot begin needs no page.
            let parsed = try Assay.parse(words)
            let session = try await WatchSession.start(Assay.name + " " + words.joined(separator: " "), port: port)
            ProgressObservers.current = session
            Console.error("assay: watch it at \(session.address)")
            let end = await Assay.run { parsed }
            ProgressObservers.current = nil
            session.end(status: end.status, error: end.error)
            await wait(for: session, isInterrupted: end.status == 130)
            await session.stop()
            throw ExitCode(end.status)
        }

        /// Waits while the page is needed.
        private func wait(for session: WatchSession, isInterrupted: Bool) async {
            let isOver = Atomic(false)
            let interrupt = Interrupt(saying: "the page is no longer served") {
                isOver.store(true, ordering: .relaxed)
            }
            defer { withExtendedLifetime(interrupt) {} }
            var hasBeenWatched = session.isWatched
            // Whoever has interrupted it wants it to end, and the page to say so.
            var limit: Double { linger ?? (isInterrupted ? 2 : hasBeenWatched ? 600 : 10) }
            if limit > 2 { Console.error("assay: the page is served for \(Int(limit)) s at most; Ctrl-C ends it") }
            let end = ContinuousClock.now
            var (now, left) = (end, end)
            while now - end < .seconds(limit), !isOver.load(ordering: .relaxed) {
                if session.isWatched { (left, hasBeenWatched) = (now, true) }
                // A page that is loaded again is away for a moment.
                if linger == nil, hasBeenWatched || isInterrupted, now - left > .seconds(1) { return }
                try? await Task.sleep(for: .milliseconds(50))
                now = ContinuousClock.now
            }
        }
    }
#endif
