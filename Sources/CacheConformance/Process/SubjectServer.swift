import CacheCore
import Foundation
import Synchronization

/// Serves a subject over the subject protocol, so that it is an `exec:` subject: what ends its process, a trap or a deadlock, is
/// the result of one check, and the others go on in a new process.
///
/// The whole of a program: `SubjectServer.serve(MyCache())`.
public enum SubjectServer {
    /// Answers requests until the input ends: several at once if the subject claims to be for several threads.
    ///
    /// What is printed meanwhile goes to standard error, so that it does not get between the frames. A frame of more than 64 MiB and
    /// a body that is no request end the process with a word of it.
    public static func serve(_ subject: any CacheSubject) {
        let output = dup(STDOUT_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        serve(subject, from: STDIN_FILENO, to: output)
    }

    static func serve(_ subject: any CacheSubject, from input: Int32, to output: Int32) {
        let service = Service(subject, output)
        let isConcurrent = (try? subject.claims())?.isConcurrent == true
        var frames = SubjectFrames()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(input, &buffer, buffer.count), count > 0 || count < 0 && errno == EINTR {
            guard count > 0 else { continue }
            frames.append(buffer[..<count])
            do {
                while let body = try frames.next() {
                    let request = try JSONDecoder().decode(SubjectRequest.self, from: Data(body))
                    if isConcurrent {
                        Thread.detachNewThread { service.answer(request) }
                    } else {
                        service.answer(request)
                    }
                }
            } catch {
                return complain("what was read is no request: \(error)")
            }
        }
    }

    private static func complain(_ words: String) {
        FileHandle.standardError.write(Data("SubjectServer: \(words)\n".utf8))
    }

    /// The instances that are open, and where answers go.
    private final class Service: Sendable {
        private let subject: any CacheSubject
        private let instances = Mutex<[Int: any CacheInstance]>([:])
        private let output: Mutex<Int32>

        init(_ subject: any CacheSubject, _ output: Int32) {
            self.subject = subject
            self.output = Mutex(output)
        }

        func answer(_ request: SubjectRequest) {
            var answer = SubjectAnswer(id: request.id)
            do throws(StoreError) {
                if let hello = request.hello {
                    answer.hello = try greeting(hello)
                } else {
                    answer.result = try result(request)
                }
            } catch {
                answer.result = .failure(error)
            }
            send(answer)
        }

        private func greeting(_ hello: SubjectRequest.Hello) throws(StoreError) -> SubjectAnswer.Hello {
            guard let version = hello.versions.first(where: SubjectRequest.versions.contains) else {
                throw StoreError(.unsupported, "this subject speaks version 1")
            }
            return SubjectAnswer.Hello(
                version: version, name: subject.name, claims: try subject.claims(),
                needsDirectory: subject.needsDirectory)
        }

        private func result(_ request: SubjectRequest) throws(StoreError) -> OperationResult {
            let number = request.instance ?? 0
            if let open = request.open {
                let instance = try subject.open(open.setup, in: open.directory)
                instances.withLock { $0[number] = instance }
            } else if let step = request.step {
                guard let instance = instances.withLock({ $0[number] }) else {
                    throw StoreError(.inputOutput, "no instance has the number \(number)")
                }
                guard let operation = step.read() else {
                    throw StoreError(.unsupported, "'\(step.operation)' is no operation, or lacks what it needs")
                }
                return instance.perform(operation, face: request.face ?? 0)
            } else {
                // Let go of outside of the lock: what the instance does at its end may take its time.
                _ = instances.withLock { $0.removeValue(forKey: number) }
            }
            return .done
        }

        private func send(_ answer: SubjectAnswer) {
            var body = Array((try? JSONEncoder().encode(answer)) ?? Data())
            if body.isEmpty || body.count > SubjectFrames.bodyBytesMax {
                let words = StoreError(
                    .inputOutput, "the answer is no frame of at most \(SubjectFrames.bodyBytesMax) bytes")
                body = Array(
                    (try? JSONEncoder().encode(SubjectAnswer(id: answer.id, result: .failure(words)))) ?? Data())
            }
            let frame = SubjectFrames.frame(body)
            output.withLock { _ = ChildProgram.write(frame, to: $0) }
        }
    }
}
