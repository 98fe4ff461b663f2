public import CacheCore

/// What memcached's `watch fetchers mutations` prints: `ts=… gid=… type=item_get key=… status=found clsid=… cfd=… size=…`.
///
/// A fetch is a read and a store that stored is a write; `deleted` removes. memcached looks a key up before it stores or deletes it, which
/// the log shows as a fetch of its own: that one is passed over and counted. Versions that cannot watch deletions show a delete, an
/// increment and a touch as a fetch, which nothing tells from others. Stores that stored nothing, evictions and lines of other
/// kinds are passed over too.
public struct MemcachedWatchTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "memcached-watch", aliases: ["memcached"],
        summary: "memcached's watch fetchers mutations: 'ts=… gid=… type=item_get key=… status=…' a line.",
        citation: "memcached, doc/protocol.txt, watchers")

    /// How many fetches wait for the line that says whether they belong to a store.
    private static let waitingMax = 64

    private var waiting: [Waiting] = []
    private var sizes = KnownSizes()
    private var hasSizes: Bool?

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// The watcher is stopped in the middle of a line.
    public static var isLog: Bool { true }

    /// Recognises the words of the first columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let isOne = sample.areLogLines { (try? Line($0)) != nil || isReply($0) }
        return isOne && sample.lines.contains { (try? Line($0)) != nil } ? Recognition(.certain) : nil
    }

    /// What is no event: the answer to the command, and how many events were left out.
    private static func isReply(_ line: UnsafeRawBufferPointer) -> Bool {
        line.elementsEqual("OK".utf8) || line.first == 0x5b || line.starts(with: "skipped".utf8)
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard !Self.isReply(line) else {
            if !line.elementsEqual("OK".utf8) {
                requests.note(
                    "memcached left events out, as it says on line \(Fields.shown(line)) and perhaps others: the log has gaps."
                )
            }
            return
        }
        let event = try Line(line)
        let isFetch = event.type.elementsEqual("item_get".utf8)
        let isStore = event.type.elementsEqual("item_store".utf8)
        let isRemoval = event.type.elementsEqual("deleted".utf8)
        guard isFetch || isStore || isRemoval else { return requests.passOver("event \(Fields.shown(event.type))") }
        guard let key = event.key, key.count > 0 else { throw LineFault(expected: "key= with a key behind it") }
        var name: [UInt8] = []
        EscapedText.append(percentEncoded: key, to: &name)
        settle(connection: event.connection, key: isFetch ? nil : name, &requests)
        if isStore, !event.stored { return requests.passOver("a store that stored nothing") }
        var attributes = RequestAttributes(timeNanoseconds: event.timeNanoseconds)
        attributes.operation = isFetch ? .read : isStore ? .write : .remove
        if isStore, let text = event.timeToLive {
            // Negative ones are written as 32 bits without a sign, and such an item is gone at once.
            guard let seconds = Fields.fixedPoint(text, decimals: 0) else {
                throw LineFault(text, expected: "a time to live in seconds")
            }
            if seconds >= 1 << 31 { attributes.operation = .remove }
            if (1..<1 << 31).contains(seconds) { attributes.timeToLiveNanoseconds = seconds * 1_000_000_000 }
        }
        var remark: String?
        try name.lend { (name) throws(LineFault) in
            attributes.sizeBytes = try size(event, of: name, isFound: !isFetch || event.found, &remark)
        }
        waiting.append(
            Waiting(
                connection: event.connection, key: name, attributes: attributes, remark: remark, isOpen: isFetch))
        while let first = waiting.first, !first.isOpen || waiting.count > Self.waitingMax { send(first, &requests) }
    }

    /// Sends what waits.
    public mutating func finish(_ requests: inout LineRequests) {
        while let first = waiting.first { send(first, &requests) }
    }

    /// A fetch may be the first half of a store; the next line of its connection tells.
    private struct Waiting {
        let connection: UInt64
        let key: [UInt8]
        let attributes: RequestAttributes
        /// What is to be told of its size.
        let remark: String?
        var isOpen: Bool
    }

    private mutating func send(_ request: Waiting, _ requests: inout LineRequests) {
        waiting.removeFirst()
        if let remark = request.remark { requests.remark(remark, "a fetch that found nothing") }
        request.key.withUnsafeBytes { requests.append($0, request.attributes) }
    }

    /// Drops the fetch before a store or a removal of the same key, and lets any other one go.
    private mutating func settle(connection: UInt64, key: [UInt8]?, _ requests: inout LineRequests) {
        guard let index = waiting.lastIndex(where: { $0.isOpen && $0.connection == connection }) else { return }
        if waiting[index].key == key {
            waiting.remove(at: index)
            requests.passOver("a fetch by which memcached begins a store or a removal")
        } else {
            waiting[index].isOpen = false
        }
    }

    /// The item's size; of a fetch that found nothing, the last one known. Old versions do not tell sizes.
    private mutating func size(
        _ event: Line, of key: UnsafeRawBufferPointer, isFound: Bool, _ remark: inout String?
    ) throws(LineFault) -> UInt64? {
        let has = hasSizes ?? (event.size != nil)
        hasSizes = has
        guard has else { return nil }
        if let text = event.size, isFound {
            guard let size = Fields.integer(text), size <= UInt64(Int.max) else {
                throw LineFault(text, expected: "a size: a whole number of bytes")
            }
            sizes[key] = size
            return size
        }
        let known = sizes[key]
        remark =
            known == nil
            ? "No earlier line told the size, which counts as 0 bytes"
            : "Lines without the item's size take the one that an earlier line told"
        return known ?? 0
    }

    /// The words of a line that matter.
    private struct Line {
        private(set) var timeNanoseconds: Int64 = 0
        let type: UnsafeRawBufferPointer
        private(set) var key, size, timeToLive: UnsafeRawBufferPointer?
        private(set) var connection: UInt64 = 0
        private(set) var stored = false
        private(set) var found = false

        init(_ line: UnsafeRawBufferPointer) throws(LineFault) {
            let expected = "an event of memcached's watch: ts=1795706723.536142 gid=2 type=item_get key=…"
            var fields = SpacedFields(line)
            guard let ts = fields.next(), ts.starts(with: "ts=".utf8), let gid = fields.next(),
                gid.starts(with: "gid=".utf8), let type = fields.next(), type.starts(with: "type=".utf8)
            else { throw LineFault(expected: expected) }
            self.type = UnsafeRawBufferPointer(rebasing: type[5...])
            let time = ts[3...]
            // The microseconds are a number without leading zeros: 12.8898 is 8898 microseconds after 12.
            guard let point = time.firstIndex(of: 0x2e),
                let seconds = Fields.integer(UnsafeRawBufferPointer(rebasing: time[..<point])),
                let micros = Fields.integer(UnsafeRawBufferPointer(rebasing: time[(point + 1)...])),
                seconds < 1 << 33, micros < 1_000_000
            else { throw LineFault(ts, expected: "ts= with seconds and microseconds behind it") }
            timeNanoseconds = Int64(seconds) * 1_000_000_000 + Int64(micros) * 1000
            while let field = fields.next() {
                guard let sign = field.firstIndex(of: 0x3d) else { continue }
                let value = UnsafeRawBufferPointer(rebasing: field[(sign + 1)...])
                switch sign {
                case 3 where field.starts(with: "key".utf8): key = value
                case 3 where field.starts(with: "ttl".utf8): timeToLive = value
                case 3 where field.starts(with: "cfd".utf8): connection = Fields.integer(value) ?? 0
                case 4 where field.starts(with: "size".utf8): size = value
                case 6 where field.starts(with: "status".utf8):
                    stored = value.elementsEqual("stored".utf8)
                    found = value.elementsEqual("found".utf8)
                default: break
                }
            }
        }
    }
}
