import CacheCore
import CacheRecording
import Foundation
import Testing
import _CacheTestSupport

@Suite("Recordings of killed processes and on full disks", .timeLimit(.minutes(10)))
struct RecordingCrashTests {
    @Test func `what was flushed before a kill is read`() async throws {
        let folder = try TemporaryDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
            let recorder = try CacheRecorder(path: path + "/x", .known())
            for index in 0..<10_000 { recorder.record(.write, index, sizeBytes: 1) }
            recorder.flush()
            // The writer is at work when the process ends.
            for thread in 0..<2 {
                Thread.detachNewThread {
                    while true { recorder.record(.write, thread, sizeBytes: 2) }
                }
            }
            while recorder.statistics.written < 100_000 { usleep(100) }
            raise(SIGKILL)
        }
        let files = try RecordedFiles(folder.path)
        #expect(files.requests.count >= 100_000)
        #expect(files.requests.prefix(10_000).allSatisfy { $0.size == 1 })
        // The path is free again.
        _ = try CacheRecorder(path: folder.path + "/x", .known())
    }

    @Test func `a file that is cut anywhere is read up to there`() throws {
        let folder = try TemporaryDirectory()
        let recorder = try CacheRecorder(path: folder.path + "/x", .known())
        for index in 0..<3 {
            recorder.record(.read, index, sizeBytes: 100)
            recorder.flush()
        }
        let whole = try RecordedFiles.bytes(folder.path)
        let blocks = [48, 0, 0, whole.count].enumerated().map { index, end in
            index == 1 || index == 2 ? 48 + (whole.count - 48) / 3 * index : end
        }
        for end in 48...whole.count {
            let files = try RecordedFiles(bytes: Array(whole[..<end]))
            #expect(files.requests.count == blocks.count { $0 <= end } - 1)
            #expect(files.notes.contains { $0.contains("cut off") } == !blocks.contains(end), "\(end): \(files.notes)")
        }
    }

    @Test(.enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
    func `a process that was forked neither writes nor waits for a writer`() throws {
        let folder = try TemporaryDirectory()
        let program = try SharedLibrary.program(
            "Tests/CacheRecordingTests/Programs/fork.c", with: "Sources/CCacheRecording")
        #expect(try SharedLibrary.run([program, folder.path + "/x"]) == "written 2 lost 0\n")
        #expect(try RecordedFiles(folder.path).requests.count == 2)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "\(SmallDisk.skippedText)"))
    func `a full disk loses requests, tells how many, and goes on when there is room`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let options = RecordingOptions.known { $0.fileBytes = 1 << 20 }
        let recorder = try CacheRecorder(path: disk.path + "/x", options)
        let filler = disk.path + "/filler"
        #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 700_000)))
        var calls = 0
        while recorder.statistics.error == nil, calls < 1_000_000 {
            for _ in 0..<1000 { recorder.record(.read, calls, sizeBytes: 1 << 40) }
            calls += 1000
            recorder.flush()
        }
        #expect(recorder.statistics.error == ENOSPC)
        // While the disk is full, nothing comes in and nothing waits.
        for _ in 0..<50 {
            for _ in 0..<1000 { recorder.record(.read, calls, sizeBytes: 1 << 40) }
            calls += 1000
            recorder.flush()
        }
        let full = recorder.statistics
        #expect(full.lost >= 50_000 && full.written + full.lost == UInt64(calls))
        #expect(try RecordedFiles(disk.path).requests.count == Int(full.written))

        try FileManager.default.removeItem(atPath: filler)
        recorder.record(.write, 1)
        recorder.close()
        let statistics = recorder.statistics
        #expect(statistics.error == nil && statistics.written == full.written + 1 && statistics.lost == full.lost)
        let files = try RecordedFiles(disk.path)
        #expect(files.requests.count == Int(statistics.written) && files.requests.last?.operation == .write)
        #expect(files.lost == statistics.lost)
    }
}
