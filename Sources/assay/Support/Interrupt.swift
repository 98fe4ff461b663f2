import CacheCore
import Foundation
import Synchronization

/// Turns the first Ctrl-C into a wish to stop, so that finished results are kept; a second one ends at once.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]

    /// Watches SIGINT and SIGTERM for a run, as long as this object lives.
    convenience init(_ monitor: ReplayMonitor) {
        self.init(
            saying: "stopping after the current block; press Ctrl-C again to end at once",
            isStopping: { monitor.isStopping }, stop: { monitor.stop() })
    }

    /// Watches SIGINT and SIGTERM for whatever `stop` ends, as long as this object lives; the second one ends the process.
    convenience init(saying text: String, stop: @escaping @Sendable () -> Void) {
        let isStopping = Mutex(false)
        self.init(
            saying: text, isStopping: { isStopping.withLock { $0 } },
            stop: {
                isStopping.withLock { $0 = true }
                stop()
            })
    }

    private init(
        saying text: String, isStopping: @escaping @Sendable () -> Bool, stop: @escaping @Sendable () -> Void
    ) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "assay.signals"))
            source.setEventHandler {
                if isStopping() { _exit(130) }
                Console.error("\nassay: \(text)")
                stop()
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
