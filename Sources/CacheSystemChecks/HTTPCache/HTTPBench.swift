internal import CacheConformance
internal import CacheCore
internal import CacheSystems
internal import Foundation
internal import Synchronization

/// An origin that says what a check has it say, and remembers what it was asked.
final class ScriptedOrigin: Sendable {
    private struct State {
        var step: HTTPStep?
        var asked: [CheckedHTTPRequest] = []
        var answers = 0
        var nowSeconds: @Sendable () -> Int64 = { 0 }
        var advance: @Sendable (Int64) -> Void = { _ in }
    }

    private let state = Mutex(State())
    private let gate = HeldGate()

    /// Says whose clock it is that dates are counted from.
    func follow(_ cache: any HTTPCacheInstance) {
        state.withLock { state in
            state.nowSeconds = { [weak cache] in cache?.nowSeconds ?? 0 }
            state.advance = { [weak cache] in cache?.advance(nanoseconds: $0) }
        }
    }

    /// What it will say.
    func expect(_ step: HTTPStep) {
        state.withLock { state in
            state.step = step
            state.asked = []
        }
    }

    /// Lets no question be answered any more.
    func hold() { gate.lock() }
    /// Lets them be answered again.
    func letGo() { gate.unlock() }

    var asked: [CheckedHTTPRequest] { state.withLock { $0.asked } }
    var answers: Int { state.withLock { $0.answers } }

    /// Dates in the place of marks.
    func dated(_ fields: HTTPFields) -> HTTPFields {
        let now = state.withLock { $0.nowSeconds }()
        var dated = HTTPFields()
        for line in fields.lines {
            let moment = line.value.hasPrefix("@") ? Int64(line.value.dropFirst()) : nil
            dated.add(line.name, moment.map { HTTPDate.text(of: now + $0) } ?? line.value)
        }
        return dated
    }

    func answer(_ request: CheckedHTTPRequest) throws -> CheckedHTTPAnswer {
        let (step, advance) = state.withLock { state in
            state.asked.append(request)
            return (state.step, state.advance)
        }
        guard let step else { throw HTTPTrouble() }
        gate.pass()
        if step.delay > 0 { advance(Int64(step.delay * 1e9)) }
        if step.seen == .unreachable { throw HTTPTrouble() }
        var answer = CheckedHTTPAnswer()
        answer.fields = dated(step.gives)
        if !step.gives.contains("Date") { answer.fields.add("Date", dated(["Date": "@0"])["Date"]!) }
        if step.gives["Date"] == "" { answer.fields.remove("Date") }
        if step.seen == .confirming {
            let isConditional =
                request.fields.contains("If-None-Match") || request.fields.contains("If-Modified-Since")
            answer.status = isConditional ? 304 : 999
            return answer
        }
        let number = state.withLock { state in
            state.answers += 1
            return state.answers
        }
        answer.status = step.status
        if request.method != "HEAD" { answer.body = Array((step.body ?? "answer \(number)").utf8) }
        return answer
    }
}

/// Lets threads through unless it is locked.
private final class HeldGate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var isLocked = false

    func lock() { condition.withLock { isLocked = true } }

    func unlock() {
        condition.withLock { isLocked = false }
        condition.broadcast()
    }

    func pass() { condition.withLock { while isLocked { condition.wait() } } }
}

/// The cache of a check, its origin, and how to open it again.
final class HTTPBench {
    let subject: any HTTPCacheSubject
    let directory: String
    let origin = ScriptedOrigin()
    private let setup: CheckedHTTPSetup
    private var opened: (any HTTPCacheInstance)?
    /// The content of the origin's last answer.
    private var last = ""

    var cache: any HTTPCacheInstance { opened! }

    init(_ subject: any HTTPCacheSubject, _ directory: String, _ setup: CheckedHTTPSetup) throws {
        self.subject = subject
        self.directory = directory
        self.setup = setup
        try open()
        // Dates must be those of our time, and whole seconds.
        cache.advance(nanoseconds: 1_800_000_000_000_000_000)
    }

    private func open() throws {
        let cache = try subject.openHTTP(setup, in: directory) { [origin] in try origin.answer($0) }
        origin.follow(cache)
        opened = cache
    }

    /// Closes the cache and opens it again; or only opens it again, as after a crash.
    func reopen(closes: Bool = true) throws {
        if closes { try cache.close() }
        opened = nil
        // What answered a request may hold a cache that was not closed for a moment longer, and with it the directory.
        let end = ContinuousClock.now + Self.patience
        while true {
            do { return try open() } catch let error as StoreError {
                guard error.code == .unavailable, !closes, ContinuousClock.now < end else { throw error }
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
    }

    private static var patience: Duration { .seconds(10) }

    /// Does an exchange, and holds what is seen against what must be.
    @discardableResult
    func exchange(_ step: HTTPStep, _ rule: String = "") throws -> CheckedHTTPAnswer {
        if step.after > 0 { cache.advance(nanoseconds: Int64(step.after * 1e9)) }
        origin.expect(step)
        var request = step.request
        request.fields = origin.dated(request.fields)
        let answer: CheckedHTTPAnswer
        do { answer = try cache.respond(to: request) } catch let error as HTTPTrouble {
            guard step.answers == 0 else { throw error }
            return CheckedHTTPAnswer()
        }
        cache.settle()
        let place = "\(rule): \(step.text)"
        try judgeQuestion(step, place)
        try judge(answer, step, place)
        return answer
    }

    private func judgeQuestion(_ step: HTTPStep, _ place: String) throws {
        let asked = origin.asked
        let own = ["If-None-Match", "If-Modified-Since"].filter { !step.request.fields.contains($0) }
        let count = step.seen == .nothing ? 0 : 1
        try CheckViolation.unless(asked.count, is: count, "\(place): how often the origin was asked")
        guard let question = asked.first else { return }
        let isConfirming = own.contains { question.fields.contains($0) }
        switch step.seen {
        case .whole: try CheckViolation.unless(isConfirming, is: false, "\(place): whether it was to confirm something")
        case .confirming, .changed:
            let hasConditions =
                question.fields.contains("If-None-Match") || question.fields.contains("If-Modified-Since")
            try CheckViolation.unless(hasConditions, is: true, "\(place): whether it was to confirm something")
        default: break
        }
        for (name, value) in origin.dated(step.asks).lines.map({ ($0.name, $0.value) }) {
            try CheckViolation.unless(question.fields[name], is: value, "\(place): \(name) in the question")
        }
        for name in step.omits {
            try CheckViolation.unless(question.fields[name], is: nil, "\(place): \(name) in the question")
        }
    }

    private func judge(_ answer: CheckedHTTPAnswer, _ step: HTTPStep, _ place: String) throws {
        let isNew = step.seen == .whole || step.seen == .changed
        try CheckViolation.unless(
            answer.status, is: step.answers ?? (isNew ? step.status : 200), "\(place): the status")
        for line in origin.dated(step.has).lines {
            try CheckViolation.unless(answer.fields[line.name], is: line.value, "\(place): \(line.name)")
        }
        for name in step.lacks { try CheckViolation.unless(answer.fields[name], is: nil, "\(place): \(name)") }
        if isNew { last = step.body ?? "answer \(origin.answers)" }
        guard step.request.method != "HEAD", ![304, 416, 504].contains(answer.status) else { return }
        try CheckViolation.unless(
            String(decoding: answer.body, as: UTF8.self), is: step.content ?? last, "\(place): the content")
    }

    /// What is in the files of the cache.
    func isOnDisk(_ text: String) throws -> Bool {
        try DiskFiles.all(under: directory).contains { path in
            try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    func request(_ path: String = "/r", _ change: (inout CheckedHTTPRequest) -> Void = { _ in }) -> CheckedHTTPRequest {
        var request = CheckedHTTPRequest("http://site.example" + path)
        change(&request)
        return request
    }
}
