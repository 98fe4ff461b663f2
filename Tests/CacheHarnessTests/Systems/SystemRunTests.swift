import CacheCore
import CacheHarness
import Foundation
import Testing

@Suite("Passes over a system")
struct SystemRunTests {
    /// A system that hits every other step; what is wrong with it is said.
    private final class Alternating: MeasuredSystem {
        enum Fault { case none, otherCounts, wrongAnswer }

        let fault: Fault
        let directory: String
        let pass: Int
        var origin = OriginCounts()
        var alternatives: [String] { ["twice"] }
        var stepCount: Int { 1000 }
        private(set) var driven: [Range<Int>] = []
        private var isOpen = false

        init(_ fault: Fault, _ directory: String, pass: Int) {
            (self.fault, self.directory, self.pass) = (fault, directory, pass)
        }

        func open() throws {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(count: 5000).write(to: URL(filePath: directory + "/entries"))
            isOpen = true
        }

        func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws {
            #expect(isOpen && steps.lowerBound == driven.last?.upperBound ?? 0, "steps come in order, once each")
            driven.append(steps)
            for step in steps {
                let isHit = !step.isMultiple(of: 2) || fault == .otherCounts && pass > 0 && step == 500
                let start = sheet.begin()
                if fault == .wrongAnswer, step == 700 { throw AssayError(.verdict, "a wrong answer: \(step)") }
                let time = sheet.stop(start)
                if !isHit { origin.requests += 1 }
                sheet.end(
                    isHit ? .hit : .miss, time, bytes: 10, without: OriginCounts(requests: 1, bytes: 10, nanoseconds: 5)
                )
            }
            if steps.contains(500) { sheet.aside("half of it") {} }
        }

        func drive(_ steps: Range<Int>, alternative: Int) throws { #expect(alternative == 0 && driven.last == steps) }
        func entries() throws -> Int { isOpen ? 7 : 0 }
        func figures() throws -> [SystemFigure] { [SystemFigure("steps", count: driven.last?.upperBound ?? 0)] }
        func close() throws { isOpen = false }
    }

    private func run(_ fault: Alternating.Fault) -> (SystemRun, String) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assay-run-\(UUID().uuidString)").path
        var passes = 0
        let run = SystemRun(keepsFiles: true, seed: 1) { place in
            defer { passes += 1 }
            return Alternating(fault, place, pass: passes)
        }
        return (run, directory)
    }

    @Test func `counts, times and figures are those of all steps`() throws {
        let (run, directory) = run(.none)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let timing = try run.timing(directory: directory)
        #expect(timing.counts.outcomes == [.hit: 500, .miss: 500] && timing.counts.originRequests == 500)
        #expect(timing.counts.originRequestsWithout == 1000 && timing.counts.bytesAnswered == 10_000)
        #expect(timing.figures == [SystemFigure("steps", count: 1000)] && timing.callsPerSecond > 0)
        #expect(timing.alternatives.map(\.name) == ["twice"])
        #expect(timing.latency.map(\.operation) == ["hit", "miss", "half of it"])
        #expect(
            timing.latency.allSatisfy { $0.distribution.summary.operations == ($0.operation == "half of it" ? 1 : 500) }
        )
    }

    @Test func `the memory pass counts the same, the files and the entries afterwards`() throws {
        let (run, directory) = run(.none)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let memory = try run.memory(directory: directory)
        #expect(memory.counts.outcomes == [.hit: 500, .miss: 500])
        #expect(memory.figures.entries == 7 && memory.figures.entriesOpened == 7 && memory.figures.diskFiles == 1)
        #expect(memory.figures.diskBytes ?? 0 >= 5000 && memory.figures.openNanoseconds ?? 0 > 0)
    }

    @Test func `a system that counts otherwise the next time is found out`() throws {
        let (run, directory) = run(.otherCounts)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let error = #expect(throws: AssayError.self) { try run.timing(directory: directory) }
        let differences = "(hit 501 and 500, miss 499 and 500, origin requests 499 and 500)"
        #expect(error?.code == .verdict && error?.message.contains("not reproducible") == true)
        #expect(error?.message.contains(differences) == true, "\(error?.message ?? "")")
    }

    @Test func `a wrong answer is no figure`() throws {
        let (run, directory) = run(.wrongAnswer)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let error = #expect(throws: AssayError.self) { try run.timing(directory: directory) }
        #expect(error?.message == "a wrong answer: 700")
    }
}
