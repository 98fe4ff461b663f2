public import CacheCore
import Foundation
import Synchronization

/// The clock of a subject in a child process that asks the system for the time: libfaketime stops it, and the suite moves it.
///
/// All caches of the process share it, and so do the clocks that a program may ask: the time of day and those that only go on.
public final class FakedClock: Sendable {
    static let doesNotMove =
        "its clock does not follow: what lives for half an hour is still there after an hour. A program of Go or one that is linked "
        + "statically does not ask libc for the time, and one whose put takes no notice of a time to live does not look at it"
    static let nothingEnds = "nothing that it holds ends: a put with a time to live is not answered"

    /// The clock never passes this: programs that count nanoseconds in 64 bits, as Python does, end in the year 2262.
    private static let end = Int64.max - 3 * 86_400_000_000_000

    private let library: String
    private let folder: AbandonedFolders.Held
    /// How far it was moved, in nanoseconds.
    private let moved = Mutex<Int64>(0)
    private let began = time(nil)

    /// A clock that stands on the second day of 1970.
    ///
    /// - Throws: `AssayError` with code `unavailable` where libfaketime is not installed, and where no folder can be made.
    public init() throws(AssayError) {
        let folders =
            Directory.names("/usr/lib").map { "/usr/lib/\($0)/faketime" } + [
                "/usr/lib/faketime", "/usr/local/lib/faketime",
            ]
        guard
            let library = folders.map({ "\($0)/libfaketimeMT.so.1" }).first(where: FileManager.default.fileExists)
        else {
            throw AssayError(
                .unavailable,
                "libfaketime is not installed. On Debian it is in the package 'faketime'; other systems than Linux have none."
            )
        }
        self.library = library
        do throws(StoreError) {
            folder = try ConformanceFolders.hold()
            try show(0)
        } catch { throw AssayError(.unavailable, "The clock's file cannot be made: \(error.message).") }
    }

    deinit {
        clearLeftovers()
        folder.remove()
    }

    private var file: String { folder.path + "/clock" }

    /// What a shell does before it starts a program on this clock.
    var preamble: String {
        """
        unset FAKETIME FAKETIME_FMT
        export LD_PRELOAD='\(library)'${LD_PRELOAD:+:$LD_PRELOAD} FAKETIME_TIMESTAMP_FILE='\(file)' FAKETIME_NO_CACHE=1 TZ=UTC

        """
    }

    /// How far it was moved, in nanoseconds.
    var now: Int64 { moved.withLock { $0 } }

    /// Whether another program may not find the time that it wants to see pass.
    func isFarGone(for claims: Claims?) -> Bool {
        now > min(1 << 61, claims?.limits.clockMaxNanoseconds.map { $0 / 4 } ?? .max)
    }

    /// Moves it on.
    ///
    /// - Throws: `StoreError` with code `unavailable` at the end of time, and where the file cannot be written.
    func advance(nanoseconds: Int64) throws(StoreError) {
        try moved.withLock { (moved) throws(StoreError) in
            let (sum, isBeyond) = moved.addingReportingOverflow(nanoseconds)
            guard nanoseconds >= 0, !isBeyond, sum <= Self.end else {
                throw StoreError(.unavailable, "a faked clock goes from 1970 to 2262")
            }
            try show(sum)
            moved = sum
        }
    }

    /// Puts it back to its beginning: for a process that is yet to start.
    func rewind() throws(StoreError) {
        try moved.withLock { (moved) throws(StoreError) in
            try show(0)
            moved = 0
        }
    }

    private func show(_ moved: Int64) throws(StoreError) {
        var (seconds, parts) = (time_t(86_400 + moved / 1_000_000_000), tm())
        gmtime_r(&seconds, &parts)
        // What is read is cut off to whole nanoseconds, after a multiplication that may be a little short: half a one is added.
        let text = String(
            format: "%04d-%02d-%02d %02d:%02d:%02d.%09d5\n", Int(parts.tm_year) + 1_900, parts.tm_mon + 1,
            parts.tm_mday,
            parts.tm_hour, parts.tm_min, parts.tm_sec, Int(moved % 1_000_000_000))
        guard Directory.write(Array(text.utf8), to: file + ".new"), rename(file + ".new", file) == 0 else {
            throw StoreError(.unavailable, "'\(file)' cannot be written", errno: errno)
        }
    }

    /// Removes what libfaketime shares with the programs that a program starts, and leaves behind when it is killed.
    func clearLeftovers() {
        #if os(Linux)
            let shared = "/dev/shm"
            for name in Directory.names(shared)
            where name.hasPrefix("faketime_shm_") || name.hasPrefix("sem.faketime_sem_") {
                var status = stat()
                guard let program = name.split(separator: "_").last.flatMap({ pid_t($0) }), kill(program, 0) != 0,
                    errno == ESRCH, lstat("\(shared)/\(name)", &status) == 0, status.st_uid == getuid(),
                    status.st_mtim.tv_sec >= began
                else { continue }
                unlink("\(shared)/\(name)")
            }
        #endif
    }

    /// What a subject on this clock answers to an operation that moves one; nil for any other.
    func answer(to operation: CacheOperation) -> OperationResult? {
        switch operation {
        case .advance(let time):
            do throws(StoreError) { try advance(nanoseconds: time) } catch { return .failure(error) }
            return .done
        // All clocks of the process go together.
        case .sleep, .moveWallClock: return .failure(.unsupported(operation))
        default: return nil
        }
    }

    // MARK: What a subject claims on it

    /// Claims of a subject that lives on this clock: entries may have times to live if such entries are found to end.
    ///
    /// - Throws: `StoreError` with code `unsupported` if its clock does not follow, or nothing that it holds ends.
    func claims(_ made: Claims, of subject: ProcessSubject) throws(StoreError) -> Claims {
        let life = Self.hour(made.clockStep)
        var claims = made
        claims.deviations.insert(.sharedClock)
        var (setup, terms) = (CacheSetup(), PutTerms(timeToLiveNanoseconds: life))
        if made.deviates(.oneTimeToLive) { (setup.timeToLiveNanoseconds, terms) = (life, .plain) }
        let ends = try isGone(after: 2 * life, setup, terms, subject)
        let idles =
            made.claims(.timeToIdle)
            ? try isGone(after: 2 * life, CacheSetup(timeToIdleNanoseconds: life), .plain, subject) : nil
        guard ends != false, idles != false else { throw StoreError(.unsupported, Self.doesNotMove) }
        if ends == true { claims.features.insert(.timeToLive) }
        guard claims.claims(.timeToLive) || claims.claims(.timeToIdle) else {
            throw StoreError(.unsupported, Self.nothingEnds)
        }
        return claims
    }

    /// At least half an hour in whole steps of a clock.
    private static func hour(_ step: Int64) -> Int64 { (1_800_000_000_000 / step + 1) * step }

    /// Moves on by about an hour: a program counts from its start, and caches take 0 for no time.
    func moveOnFromStart(_ claims: Claims?) throws(StoreError) {
        // What lies in a directory would have ended.
        guard now == 0 || claims?.durability == .volatile else { return }
        try advance(nanoseconds: 2 * Self.hour(claims?.clockStep ?? 1))
    }

    /// Whether an entry is there, and gone after a time; nil if it was not there, or is not taken.
    private func isGone(
        after time: Int64, _ setup: CacheSetup, _ terms: PutTerms, _ subject: ProcessSubject
    ) throws(StoreError) -> Bool? {
        let sandbox = try Sandbox(needsDirectory: subject.needsDirectory)
        defer { sandbox.end() }
        let key = Array("clock".utf8)
        let cache = try subject.open(setup, in: sandbox.directory)
        defer { _ = cache.perform(.close) }
        guard cache.perform(.put(key, .bytes([1]), terms: terms)) == .done, cache.perform(.get(key)).isHit else {
            return nil
        }
        if case .failure(let error) = cache.perform(.advance(nanoseconds: time)) { throw error }
        return !cache.perform(.get(key)).isHit
    }
}
