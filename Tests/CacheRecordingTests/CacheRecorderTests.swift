import CacheCore
import CacheRecording
import Foundation
import Testing
import _CacheTestSupport

@Suite("A recorder writes what it is told, or counts it as lost", .timeLimit(.minutes(10)))
struct CacheRecorderTests {
    @Test func `everything that one thread records is read again`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/pages", .known { $0.tenants = true })
        let start = Int64(Date().timeIntervalSince1970 * 1e9)
        recorder.record(.read, "/index", outcome: .miss, tenant: 7)
        recorder.record(.write, "/index", sizeBytes: 4096, outcome: .stored, timeToLive: .seconds(60), tenant: 7)
        recorder.record(.read, [UInt8]([0, 255]), sizeBytes: .max, outcome: .hit)
        recorder.record(.write, 17, sizeBytes: -1, timeToLive: .microseconds(1), tenant: .max)
        recorder.record(.remove, UInt64.max, outcome: .refused, timeToLive: .seconds(1 << 62))
        recorder.record(.write, "", timeToLive: .zero)
        recorder.close()
        let end = Int64(Date().timeIntervalSince1970 * 1e9)

        let files = try RecordedFiles(folder.path)
        #expect(files.requests.map(\.operation) == [.read, .write, .read, .write, .remove, .write])
        let sizes: [UInt64?] = [4096, 4096, UInt64(Int.max), 0, 0, 0]
        #expect(files.requests.map(\.size) == sizes)
        let second = Int64(1_000_000_000)
        let longest: Int64 = ((1 << 40) - 1) * 1_000_000
        let timesToLive: [Int64?] = [nil, 60 * second, nil, 1_000_000, longest, 1_000_000]
        #expect(files.requests.map(\.timeToLive) == timesToLive)
        #expect(files.requests.map(\.tenant) == ["7", "7", "0", "65535", "0", "0"])
        let hashes = [
            recorder.hash(of: "/index"), recorder.hash(of: "/index"), recorder.hash(of: [UInt8]([0, 255])),
            recorder.hash(of: 17), recorder.hash(of: UInt64.max), recorder.hash(of: ""),
        ]
        #expect(files.requests.map(\.key) == hashes)
        let times = files.requests.map(\.time)
        #expect(times == times.sorted())
        // The clocks are read apart, so that one may be set between.
        #expect(abs(times[0] - start) < 60 * second && abs(end - times[5]) < 60 * second)
        #expect(files.notes.count == 2 && files.notes[0].hasPrefix("2 reads and writes have no size"))
        #expect(files.notes[1] == "The recorded cache hit 1 of the 2 reads whose outcome was recorded.")
        #expect(recorder.statistics.written == 6 && recorder.statistics.lost == 0 && recorder.statistics.error == nil)
        #expect(try recorder.statistics.bytes + 48 == UInt64(RecordedFiles.bytes(folder.path).count))
    }

    @Test func `tenants are not written unless they are asked for`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        recorder.record(.read, 1, tenant: 5)
        recorder.flush()
        #expect(try RecordedFiles(folder.path).requests.map(\.tenant) == [nil])
    }

    /// The vectors of SipHash's reference implementation: keys of the bytes from 0 on under the secret of the bytes 0 to 15.
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)])
    func `keys are hashed with SipHash-2-4`(_ count: Int, _ hash: UInt64) throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        #expect(recorder.hash(of: (0..<count).map { UInt8($0) }) == hash)
    }

    @Test func `equal keys have one hash, and secrets that are not given differ`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        #expect(recorder.hash(of: -1) == recorder.hash(of: Int32(-1)))
        #expect(recorder.hash(of: 5) == recorder.hash(of: UInt32(5)))
        #expect(recorder.hash(of: "é") == recorder.hash(of: [UInt8]("é".utf8)))
        let random = try (0..<2).map { try CacheRecorder(path: folder.path + "/random\($0)") }
        #expect(random[0].hash(of: 5) != random[1].hash(of: 5))
    }

    @Test func `what many threads record and lose adds up to their calls, and the files say the same`() async throws {
        let folder = try TemporaryDirectory()
        // So little memory that requests are lost.
        let options = RecordingOptions.known { $0.bufferBytes = 1 << 16 }
        let recorder = try CacheRecorder(path: folder.path + "/x", options)
        let (threads, calls) = (8, 50_000)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    await onThread {
                        for call in 0..<calls { recorder.record(.write, thread, sizeBytes: call + 1) }
                    }
                }
            }
            for _ in 0..<100 { recorder.flush() }
        }
        recorder.flush()
        let statistics = recorder.statistics
        #expect(statistics.written + statistics.lost == UInt64(threads * calls))
        #expect(statistics.written > 0)
        let files = try RecordedFiles(folder.path)
        #expect(UInt64(files.requests.count) == statistics.written && files.lost == statistics.lost)
        // Each thread's requests are there once, and in their order.
        for thread in 0..<threads {
            let sizes = files.requests.filter { $0.key == recorder.hash(of: thread) }.compactMap(\.size)
            #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func `requests of two threads are in the order in which they were made`() async throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        for turn in 0..<200 {
            await onThread { recorder.record(.read, turn) }
        }
        recorder.flush()
        #expect(try RecordedFiles(folder.path).requests.map(\.key) == (0..<200).map { recorder.hash(of: $0) })
    }

    @Test func `what nobody flushes is in the file after the interval`() async throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known { $0.flushInterval = .milliseconds(5) })
        recorder.record(.read, 1)
        while recorder.statistics.written == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try RecordedFiles(folder.path).requests.count == 1)
    }

    @Test func `what is recorded after the end is lost and counted`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        recorder.record(.read, 1)
        recorder.close()
        recorder.record(.read, 2)
        recorder.flush()
        recorder.close()
        #expect(recorder.statistics.written == 1 && recorder.statistics.lost == 1)
        #expect(try RecordedFiles(folder.path).requests.count == 1)
    }

    @Test func `files and disk stay within their bounds, and numbers go on in the next run`() throws {
        let folder = try TemporaryDirectory()
        let options = RecordingOptions.known {
            $0.fileBytes = 1 << 17
            $0.files = 3
        }
        let other = folder.path + "/x-0000000001.recording.txt"
        try Data([1]).write(to: URL(filePath: other))
        var names: [[String]] = []
        for run in 0..<2 {
            let recorder = try CacheRecorder(path: folder.path + "/x", options)
            for index in 0..<40_000 {
                recorder.record(.read, run * 40_000 + index, sizeBytes: 1 << 40)
                guard index % 1000 == 0 else { continue }
                recorder.flush()
                let sizes = try RecordedFiles.paths(folder.path).map { try Data(contentsOf: URL(filePath: $0)).count }
                #expect(sizes.count <= 3 && sizes.allSatisfy { $0 <= 1 << 17 })
            }
            recorder.close()
            #expect(recorder.statistics.written == 40_000 && recorder.statistics.lost == 0)
            names.append(try RecordedFiles.paths(folder.path))
            // The newest requests are there, without a gap.
            let files = try RecordedFiles(folder.path)
            #expect(files.requests.last?.key == recorder.hash(of: run * 40_000 + 39_999))
            #expect(files.notes == [])
        }
        let numbers = names.map { $0.compactMap { Int($0.suffix(20).prefix(10)) } }
        #expect(numbers.allSatisfy { $0.count == 3 && $0[2] == $0[0] + 2 })
        #expect(numbers[1][0] > numbers[0][2])
        #expect(FileManager.default.fileExists(atPath: other))
    }

    @Test func `a path has one recorder at a time`() throws {
        let folder = try TemporaryDirectory()
        var first: CacheRecorder? = try CacheRecorder(path: folder.path + "/x")
        #expect {
            try CacheRecorder(path: folder.path + "/x")
        } throws: {
            ($0 as? RecordingError)?.errno == EBUSY && "\($0)".contains("another recorder writes there")
        }
        first = nil
        _ = try CacheRecorder(path: folder.path + "/x")
        #expect(first == nil)
    }

    @Test(
        arguments: [
            { $0.fileBytes = 1000 }, { $0.fileBytes = -1 }, { $0.fileBytes = 0 }, { $0.files = 0 }, { $0.files = .max },
            { $0.bufferBytes = 1 }, { $0.bufferBytes = .max }, { $0.flushInterval = .zero },
            { $0.flushInterval = .seconds(1 << 40) }, { $0.secret = [1, 2, 3] },
        ] as [@Sendable (inout RecordingOptions) -> Void])
    func `options out of range are refused`(_ change: @Sendable (inout RecordingOptions) -> Void) throws {
        let folder = try TemporaryDirectory()
        #expect {
            try CacheRecorder(path: folder.path + "/x", .known(change))
        } throws: {
            ($0 as? RecordingError)?.errno == EINVAL
        }
    }

    @Test func `a folder that is not there is told`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/none/x"
        #expect {
            try CacheRecorder(path: path)
        } throws: { "\($0)" == "\(path): the recording cannot be started: No such file or directory." }
    }
}
