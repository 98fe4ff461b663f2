import ArgumentParser
import AssayCommand
import CacheCore
import CacheTraces
import Foundation

/// `assay-dev measure-generate`: how many requests a second each pattern makes on one core, beside drawing numbers alone.
struct MeasureGenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-generate",
        abstract: "Print how many requests a second each pattern makes, and the ratio to drawing a random number each.",
        discussion: """
            Processor time of one thread, the best of the rounds. A request's key, size, time and operation go to a sink that \
            adds them up. The ratio is to a loop that draws 64 random bits and adds them up, measured in the same rounds.
            """)

    @Option(help: ArgumentHelp("Requests of a round.", valueName: "number"))
    var requests = 10_000_000

    @Option(help: ArgumentHelp("Objects.", valueName: "number"))
    var objects = 1_000_000

    @Option(help: ArgumentHelp("Rounds.", valueName: "number"))
    var rounds = 5

    func validate() throws {
        guard (1..<Int(UInt32.max)).contains(requests), (1000...1 << 28).contains(objects), rounds >= 1 else {
            throw ValidationError("--requests and --rounds must be at least 1, and --objects from 1000 to 268435456.")
        }
    }

    private var workloads: [(name: String, WorkloadSpecification)] {
        func plain(_ pattern: AccessPattern) -> WorkloadSpecification {
            WorkloadSpecification(pattern: pattern, requests: requests, objects: objects)
        }
        var sized = plain(.zipf(exponent: 0.9))
        sized.sizes = .generalizedPareto(location: 0, scale: 214.476, shape: 0.348238, minimum: 1, maximum: 1_000_000)
        var mixed = plain(.zipf(exponent: 0.99))
        mixed.operations = OperationMix(writes: 0.5)
        var timed = plain(.zipf(exponent: 0.9))
        timed.arrivals = .poisson
        let reuse = ReuseModel(distances: [1, 100, 10_000], reuses: [1, 1, 1], objects: [1], requests: [10])
        return [
            ("uniform", plain(.uniform)), ("loop", plain(.loop)), ("zipf 1", plain(.zipf(exponent: 1))),
            ("zipf 0.9", plain(.zipf(exponent: 0.9))),
            (
                "scan",
                plain(.scan(hotObjects: objects / 40, exponent: 0.9, hotRequests: 20_000, scanLength: 10_000))
            ), ("hotspot", plain(.hotspot(hotObjects: objects / 10, hotShare: 0.9))),
            ("shifting", plain(.shifting(exponent: 1, period: 25_000, shift: 2000))),
            ("latest", plain(.latest(exponent: 0.99))), ("zipf 0.9, sizes", sized), ("zipf 0.99, writes", mixed),
            ("zipf 0.9, poisson", timed), ("reuse", plain(.reuse(reuse))),
        ]
    }

    func run() throws {
        var best = [Double](repeating: .infinity, count: workloads.count)
        var draws = Double.infinity
        var sum: UInt64 = 0
        for _ in 0..<rounds {
            draws = min(draws, seconds { sum &+= GeneratorMeasure.drawNumbers(requests) })
            for (index, workload) in workloads.enumerated() {
                let taken = try seconds { sum &+= try GeneratorMeasure.generate(workload.1) }
                best[index] = min(best[index], taken)
            }
        }
        func line(_ name: String, _ taken: Double) -> String {
            let rate = Double(requests) / taken / 1e6
            return name.padding(toLength: 24, withPad: " ", startingAt: 0)
                + String(format: "%8.1f M requests/s   %5.3f of drawing numbers", rate, draws / taken)
        }
        Console.print(line("random numbers", draws))
        for (workload, taken) in zip(workloads, best) { Console.print(line(workload.name, taken)) }
        // The sum keeps the work from being left out.
        Console.print("sum \(sum)")
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = Self.threadSeconds()
        try body()
        return Self.threadSeconds() - start
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
