#if Conformance
    import ArgumentParser
    import CacheConformance
    import CacheCore
    import Foundation

    /// What a child process is asked to check: one check of one subject, in words that the command line also takes.
    struct CheckOrder: Codable {
        /// The subject.
        var subject: String
        /// The check's id; nil to look whether the subject can be asked at all.
        var check: String?
        /// The seed of random programs.
        var seed: UInt64
        /// Whether many other seeds follow.
        var isOneOfMany: Bool
        /// Claims in the place of the subject's own.
        var claims: Claims?
        /// A directory that the child may fill; the parent removes it.
        var directory: String
    }

    /// Whether a subject can be asked: what a child process answers to an order without a check.
    struct StartAnswer: Codable {
        /// What is missing; nil if nothing is.
        var fault: String?
    }

    /// `assay conform-check`: answers orders of `assay conform`, which starts it as a child process, one a line.
    struct ConformCheckCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "conform-check",
            abstract: "Run conformance checks of one subject; orders are read from standard input, one a line.",
            shouldDisplay: false)

        @OptionGroup var plugins: PluginSelection

        func run() throws {
            let orders = ParentWatch.lines { $0.isEmpty ? nil : Self.order($0)?.directory }
            while let line = orders.next() {
                guard let order = Self.order(line) else {
                    throw AssayError(.usage, "this command is started by 'assay conform' alone")
                }
                let selection = try SubjectSelection(order.subject, claims: order.claims, answerSeconds: 60)
                var bytes = try Self.answer(order, selection.subject)
                bytes.append(UInt8(ascii: "\n"))
                try FileHandle.standardOutput.write(contentsOf: bytes)
            }
        }

        private static func answer(_ order: CheckOrder, _ subject: any CacheSubject) throws -> Data {
            guard let id = order.check else {
                do throws(AssayError) { try SubjectStart.check(subject) } catch {
                    return try JSONEncoder().encode(StartAnswer(fault: error.message))
                }
                return try JSONEncoder().encode(StartAnswer())
            }
            guard let check = Plugins.current.everyCheck.check(id) else {
                throw AssayError(.usage, "the order names no check")
            }
            return try JSONEncoder().encode(check.answer(of: subject, seed: order.seed, isOneOfMany: order.isOneOfMany))
        }

        private static func order(_ line: String) -> CheckOrder? {
            try? JSONDecoder().decode(CheckOrder.self, from: Data(line.utf8))
        }
    }
#endif
