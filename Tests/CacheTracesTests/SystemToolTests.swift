import CacheCore
import Testing

@testable import CacheTraces

/// What system tools print, beside the files in `Tests/formats`.
@Suite struct SystemToolTests {
    @Test(arguments: [
        ("lackey:kinds=LX", "letters I, L, S and M"), ("lackey:kinds=", "letters I, L, S and M"),
        ("blkparse:action=P", "no action with sectors"), ("blkparse:action=QD", "no action with sectors"),
        ("strace:block=4096,calls=opens", "do not go together"),
        ("perf-trace:block=4096,calls=opens", "do not go together"),
    ]) func `a parameter that means nothing is a usage error`(format: String, message: String) {
        let error = assayError { () throws(AssayError) in _ = try records(format, "") }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `a text of strace is taken apart at its own commas, quotes and brackets`() throws {
        let line = #"writev(7</a,b\76)c>, [{iov_base="x\"), (", iov_len=4}, {iov_base="", iov_len=0}], 2) = 4 <0.1>"#
        try Array(line.utf8).withUnsafeBytes { bytes in
            let call = try #require(SystemCall(bytes))
            #expect(String(decoding: call.name, as: UTF8.self) == "writev")
            #expect(call.arguments.count == 3)
            #expect(call.arguments[0].number == 7)
            #expect(call.arguments[0].filePath == Array("/a,b>)c".utf8))
            #expect(call.result?.number == 4)
        }
    }

    @Test func `octal and hexadecimal bytes of paths are the bytes that they stand for`() throws {
        let log = #"open("/caf\303\251\n\x41\0011", O_RDONLY) = 3"# + "\n"
        #expect(try records("strace", log) == [opened("/café\nA\u{1}1")])
    }

    @Test func `descriptors of a process that ended, or was closed, are other files later`() throws {
        let log = """
            7 open("/a", O_RDONLY) = 3
            7 fcntl(3, F_DUPFD_CLOEXEC, 10) = 10
            7 close(3) = 0
            7 read(10, "x", 1) = 1
            7 read(3, "x", 1) = 1
            7 +++ exited with 0 +++
            7 read(10, "x", 1) = 1

            """
        #expect(try records("strace", log).map(\.key) == [.bytes(Array("/a".utf8)), .bytes(Array("/a".utf8))])
    }

    @Test func `more descriptors than a system has are refused`() {
        let log = (0..<70_000).map { "open(\"/a\", O_RDONLY) = \($0)\n" }.joined()
        let error = assayError { () throws(AssayError) in _ = try records("strace", log) }
        #expect(error?.message.contains("at most 65536 descriptors") == true, "\(String(describing: error))")
        #expect(error?.location?.line == 65_537)
    }

    @Test(arguments: [
        ("strace", "open(\"/a\", O_RDONLY) = 3\nread(3, \"x"), ("lackey", " L 1fff000688,8\n L 1fff"),
        ("perf-trace", " 0.0 ( 0.1 ms): openat(dfd: CWD, filename: \"/a\") = 3\n 0.2 ( 0"),
        ("blkparse", "8,0 3 1 0.0 697 Q W 8 + 8 [a]\n8,0 3 2 0.0 697 Q W 8 +"),
    ]) func `a last line that is cut off is passed over`(format: String, log: String) throws {
        #expect(try records(format, log).count == 1)
    }

    private func opened(_ path: String) -> TraceRecord {
        TraceRecord(.bytes(Array(path.utf8)), RequestAttributes(operation: .read))
    }
}
