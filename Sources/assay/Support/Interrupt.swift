import CacheCore
import Foundation

/// Turns the first Ctrl-C into a wish to stop, so that finished results are kept; a second one ends at once.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]

    /// Watches SIGINT and SIGTERM for as long as this object lives.
    init(_ monitor: ReplayMonitor) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "assay.signals"))
            source.setEventHandler {
                if monitor.isStopping { _exit(130) }
                Console.error("\nassay: stopping after the current block; press Ctrl-C again to end at once")
                monitor.stop()
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}
