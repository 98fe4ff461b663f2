import CacheCore
import CacheHarness
import Foundation
import Synchronization

/// Turns the first Ctrl-C into a wish to stop, so that finished results are kept; another one, a second later or more, ends at once.
///
/// `timeout` and terminals send one signal twice: to the program and to its group. The second of them is no impatience.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]

    /// Watches SIGINT and SIGTERM for a run, as long as this object lives.
    convenience init(_ monitor: ReplayMonitor) {
        self.init(saying: "stopping after the current block; press Ctrl-C again to end at once") { monitor.stop() }
    }

    /// Watches SIGINT and SIGTERM for whatever `stop` ends, as long as this object lives.
    init(saying text: String, stop: @escaping @Sendable () -> Void) {
        let patience = Mutex(SignalPatience())
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "assay.signals"))
            source.setEventHandler {
                switch patience.withLock({ $0.receive(atNanoseconds: DispatchTime.now().uptimeNanoseconds) }) {
                case .stop:
                    Console.error("\nassay: \(text)")
                    // Stopping may wait, and the next signal must not.
                    DispatchQueue.global().async(execute: stop)
                case .ignore: break
                case .end: _exit(130)
                }
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

    /// Leaves SIGINT and SIGTERM to the process that started this one, which ends it when it stops.
    static func leaveToParent() { for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) } }
}
