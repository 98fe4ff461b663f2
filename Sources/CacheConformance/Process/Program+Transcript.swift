import CacheCore
import Foundation

extension Program {
    /// The program in one of the forms of a reproducer.
    public func text(_ form: CheckFailure.Reproducer) -> String {
        switch form {
        case .swift: swiftSource
        case .json: Self.line(self)
        case .protocol: transcript
        case .timeline: timeline
        }
    }

    /// The operations, numbered, each with what the clock shows when it is asked for.
    var timeline: String {
        var now = setup.nowNanoseconds ?? 0
        let moments = operations.map { operation in
            defer {
                if case .advance(let step) = operation { now = now.addingReportingOverflow(step).partialValue }
                if case .sleep(let step) = operation { now = now.addingReportingOverflow(step).partialValue }
            }
            return "\(now) ns"
        }
        let width = moments.map(\.count).max() ?? 0
        let opening = Program([], setup: setup).description
        let lines = operations.indices.map { index in
            let number = "\(index + 1)"
            return String(repeating: " ", count: max(0, 3 - number.count)) + number + "  "
                + String(repeating: " ", count: width - moments[index].count) + moments[index] + "  "
                + operations[index].description
        }
        return ((opening.isEmpty ? [] : [opening]) + lines).joined(separator: "\n")
    }

    /// The bodies of the frames that ask a subject in a child process for the program, one a line. Closing and opening
    /// again are two frames, as they are two for the subject.
    public var transcript: String {
        var requests = [SubjectRequest(hello: SubjectRequest.Hello())]
        var instance = 1
        var (format, turn) = (setup.format, 0)
        func ask(_ operation: CacheOperation) -> SubjectRequest {
            let face = setup.face(inTurn: turn)
            turn += 1
            return SubjectRequest(
                instance: instance, step: OperationLine(operation).spelled, face: face == 0 ? nil : face)
        }
        func open() -> SubjectRequest {
            var open = setup
            open.format = format
            return SubjectRequest(instance: instance, open: SubjectRequest.Open(open, in: "/an/empty/directory"))
        }
        requests.append(open())
        for operation in operations {
            switch operation {
            case .reopen, .relocate, .abandon, .upgrade:
                let isLeft = operation == .abandon
                requests.append(isLeft ? SubjectRequest(instance: instance, release: true) : ask(.close))
                (instance, turn) = (instance + 1, 0)
                if operation == .upgrade { format = nil }
                requests.append(open())
            default: requests.append(ask(operation))
            }
        }
        return requests.enumerated().map { index, request in
            var request = request
            request.id = index
            return Self.line(request)
        }.joined(separator: "\n")
    }

    private static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
