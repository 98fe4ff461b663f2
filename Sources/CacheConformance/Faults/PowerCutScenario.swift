import CacheCore
import Foundation

/// Cuts the power of a device under a store: copies the device's image while the writer is stopped, and opens the copy.
///
/// Everything happens in a child process that has the mounts for itself, so that they end with it, however it ends: the system
/// unmounts them and gives the loop devices back.
struct PowerCutScenario {
    private let context: CheckContext
    private static let keys = (0..<6).map { Array("key-\($0)".utf8) }
    /// What the report of the child begins with.
    private enum Sign {
        static let isAlive = UInt8(ascii: ".")
        static let isBlocked = UInt8(ascii: "b")
        static let hasFailed = UInt8(ascii: "f")
        static let isOver = UInt8(ascii: "o")
    }

    init(_ context: CheckContext) { self.context = context }

    /// FLT-4.
    func verify() throws(CheckStop) {
        guard context.subject.needsDirectory else { throw .blocked("the subject has no directory") }
        guard !(context.subject is ProcessSubject) else {
            throw .blocked("a process that is not Assay's own is not stopped on a device of its own")
        }
        #if canImport(Glibc)
            guard geteuid() == 0 else { throw .blocked("mounting an image needs root") }
            let sandbox = try context.directory(steps: [])
            defer { sandbox.end() }
            let root = sandbox.directory! + "-device"
            Directory.make(root)
            let stops = stops
            let signs = ForkedRun.report { tell in cut(stops, in: root, tell) }
            guard let signs else { throw .inconclusive("the child process gave no sign for a minute") }
            let report = signs.drop { $0 == Sign.isAlive }
            let words = String(decoding: report.dropFirst(), as: UTF8.self)
            switch report.first {
            case Sign.isBlocked: throw .blocked(words)
            case Sign.hasFailed:
                throw context.failed(
                    words, permitted: "what the last acknowledged operation left, or one under way",
                    steps: work.map(\.description) + ["cut the power meanwhile", "open"])
            case Sign.isOver: break
            default: throw .inconclusive("the child process ended before its report")
            }
        #else
            throw .blocked("mounting an image needs Linux")
        #endif
    }

    /// Writes of all sizes over six keys, and removals.
    private var work: [CacheOperation] {
        let sizes = [40, 3_000, 300, 20_000, 60, 5_000]
        let storesExpiry = context.claims.claims(.storedExpiry)
        return (1...60).map { step in
            let key = Self.keys[step % 6]
            if step > 6, step % 7 == 0 { return .remove(key) }
            return .put(
                key, value(step, min(sizes[step % 6], context.claims.valueBytesMax)),
                expiresAtNanoseconds: storesExpiry ? Int64(step) << 56 : nil)
        }
    }

    /// After how many acknowledged operations, and how many microseconds later, the writer is stopped.
    private var stops: [(acknowledged: Int, microseconds: UInt32)] {
        var generator = context.generator
        return (0..<6).map { part in
            (part * 9 + generator.next(below: 9), UInt32(generator.next(below: 3_000)))
        }
    }

    #if canImport(Glibc)
        // MARK: The child that has the mounts

        private func cut(
            _ stops: [(acknowledged: Int, microseconds: UInt32)], in root: String, _ tell: (UInt8) -> Void
        ) {
            func end(_ sign: UInt8, _ words: String = "") {
                for byte in [sign] + Array(words.utf8) { tell(byte) }
            }
            let device: MountedImage
            do { device = try MountedImage(in: root) } catch {
                return end(Sign.isBlocked, "\(error)")
            }
            defer { device.unmount() }
            guard let writer = Writer(context.subject, work, in: device.path + "/store") else {
                return end(Sign.isBlocked, "no process could be made")
            }
            defer { writer.end() }
            var hits = 0
            for stop in stops {
                writer.await(acknowledged: stop.acknowledged)
                usleep(stop.microseconds)
                writer.stop()
                let least = writer.acknowledged
                let copy = device.copied()
                let most = writer.acknowledged
                writer.goOn()
                tell(Sign.isAlive)
                guard let copy else { continue }
                do {
                    hits += try copy.withMount { directory throws(Finding) in
                        try look(directory + "/store", between: least, and: most)
                    }
                } catch { return end(Sign.hasFailed, error.words) }
                tell(Sign.isAlive)
            }
            end(hits > 0 ? Sign.isOver : Sign.isBlocked, hits > 0 ? "" : "the witness: nothing was found after any cut")
        }

        private struct Finding: Error { let words: String }

        /// Returns how many keys had a value.
        private func look(_ directory: String, between least: Int, and most: Int) throws(Finding) -> Int {
            let work = work
            let answers = AnswerBytes(work.compactMap(\.entry))
            let subject = context.subject
            let lines = ForkedRun.report { tell in
                guard let instance = try? subject.open(CacheSetup(), in: directory) else { return }
                for key in Self.keys { tell(answers.byte(of: instance.perform(.get(key)))) }
                withExtendedLifetime(instance) { ForkedRun.endNow() }
            }
            let moment = "after \(least) acknowledged operations"
            guard let lines, lines.count == Self.keys.count else {
                // Nothing was acknowledged of a store that was not there yet.
                if least == 0 { return 0 }
                throw Finding(words: "the store does not open after a power cut \(moment)")
            }
            var hits = 0
            for (key, line) in zip(Self.keys, lines) {
                let found = answers.result(line)
                let permitted = (least...min(work.count, most + 1)).map { count in
                    let last = work.prefix(count).last { $0.key == key }
                    return OperationResult.entry(last?.entry)
                }
                guard permitted.contains(found) || !context.claims.retains && found == .entry(nil) else {
                    throw Finding(
                        words:
                            "get \(KeyText.describe(key)): \(ValueText.describe(found, of: .get(key))), after a power cut "
                            + "\(moment)")
                }
                if found != .entry(nil) { hits += 1 }
            }
            return hits
        }
    #endif
}

#if canImport(Glibc)
    /// A process that works on a store until it is ended.
    private final class Writer {
        private let process: pid_t
        private let pipe: Int32
        private var count = 0
        private var isOver = false

        init?(_ subject: any CacheSubject, _ work: [CacheOperation], in directory: String) {
            var ends: [Int32] = [-1, -1]
            guard Foundation.pipe(&ends) == 0, let child = ForkedRun.fork() else { return nil }
            if child == 0 {
                // A group of its own: the system ends it, stopped or not, when the process is gone that made it.
                setpgid(0, 0)
                close(ends[0])
                if let instance = try? subject.open(CacheSetup(), in: directory) {
                    var sign: UInt8 = 1
                    for operation in work where instance.perform(operation).error == nil { write(ends[1], &sign, 1) }
                }
                _exit(0)
            }
            (process, pipe) = (child, ends[0])
            close(ends[1])
        }

        /// Waits until so many operations are acknowledged, or there are no more.
        func await(acknowledged wanted: Int) {
            while count < wanted, !isOver { take(milliseconds: 10_000) }
        }

        /// The operations that were acknowledged until now.
        var acknowledged: Int {
            while take(milliseconds: 0) {}
            return count
        }

        @discardableResult
        private func take(milliseconds: Int32) -> Bool {
            var wait = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            guard !isOver, poll(&wait, 1, milliseconds) > 0 else {
                if milliseconds > 0 { isOver = true }
                return false
            }
            var buffer = [UInt8](repeating: 0, count: 64)
            let got = read(pipe, &buffer, buffer.count)
            if got <= 0 { isOver = true }
            count += max(0, got)
            return got > 0
        }

        func stop() { kill(process, SIGSTOP) }
        func goOn() { kill(process, SIGCONT) }

        func end() {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
            close(pipe)
        }
    }
#endif
