internal import CacheCore

/// What a command of Redis does to which of its arguments.
struct RedisCommand: Sendable {
    /// Which arguments are keys, and what is done to them.
    enum Keys: Sendable {
        /// The first one.
        case first(TraceOperation)
        /// All of them.
        case all(TraceOperation)
        /// All but the last one, which is a time to wait.
        case allButLast(TraceOperation)
        /// Every other one, from the first: keys and values.
        case pairs
        /// The first two, in order.
        case two(TraceOperation, TraceOperation)
        /// The first one is written from all others.
        case storeAll
        /// The first one is written from as many others as the second says.
        case storeCounted
        /// As many as the argument at this place says, behind it.
        case counted(TraceOperation, at: Int)
        /// The second one is written from the third and all others.
        case bitOperation
        /// The first half of what follows the word `STREAMS`.
        case streams
        /// The first one is read and removed.
        case readAndRemove
    }

    /// How long the value stays valid after the command.
    enum TimeToLive: Sendable {
        /// Nothing is said.
        case none
        /// An argument among others: `EX 60`, `PX`, `EXAT` or `PXAT`.
        case option
        /// The second argument, in units of 10^decimals nanoseconds, from now on or as a point in time.
        case second(decimals: Int, isPoint: Bool)
    }

    let keys: Keys
    var timeToLive = TimeToLive.none
    /// Whether the last argument is the whole value.
    var holdsValue = false

    /// A command by its name in any case; nil for those without keys, scripts, and those that only ask about a key.
    init?(_ name: UnsafeRawBufferPointer) {
        guard name.count <= 24 else { return nil }
        let upper = name.map { (0x61...0x7a).contains($0) ? $0 & 0xdf : $0 }
        guard let known = Self.commands[upper] else { return nil }
        self = known
    }

    private init(_ keys: Keys, _ timeToLive: TimeToLive = .none, holdsValue: Bool = false) {
        self.keys = keys
        self.timeToLive = timeToLive
        self.holdsValue = holdsValue
    }

    private static let commands: [[UInt8]: RedisCommand] = {
        var commands: [[UInt8]: RedisCommand] = [:]
        func add(_ names: String, _ command: RedisCommand) {
            for name in names.split(separator: " ") { commands[Array(name.utf8)] = command }
        }
        add(
            """
            GET GETRANGE SUBSTR STRLEN GETBIT BITCOUNT BITPOS BITFIELD_RO HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSTRLEN HSCAN \
            HRANDFIELD LRANGE LINDEX LLEN LPOS SMEMBERS SISMEMBER SMISMEMBER SCARD SRANDMEMBER SSCAN ZRANGE ZRANGEBYSCORE \
            ZRANGEBYLEX ZREVRANGE ZREVRANGEBYSCORE ZREVRANGEBYLEX ZSCORE ZMSCORE ZRANK ZREVRANK ZCARD ZCOUNT ZLEXCOUNT ZSCAN \
            ZRANDMEMBER DUMP XRANGE XREVRANGE XLEN XPENDING GEOPOS GEODIST GEOHASH GEORADIUS GEORADIUS_RO GEORADIUSBYMEMBER \
            GEORADIUSBYMEMBER_RO GEOSEARCH SORT SORT_RO LCS JSON.GET
            """, RedisCommand(.first(.read)))
        add("GETEX", RedisCommand(.first(.read), .option))
        add("MGET EXISTS TOUCH SINTER SUNION SDIFF PFCOUNT", RedisCommand(.all(.read)))
        add("ZUNION ZINTER ZDIFF SINTERCARD ZINTERCARD", RedisCommand(.counted(.read, at: 0)))
        add("XREAD XREADGROUP", RedisCommand(.streams))
        add(
            """
            APPEND SETRANGE SETBIT BITFIELD INCR DECR INCRBY DECRBY INCRBYFLOAT HSET HSETNX HMSET HINCRBY HINCRBYFLOAT \
            HDEL LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LSET LREM LTRIM LINSERT SADD SREM SPOP ZADD ZINCRBY ZREM ZPOPMIN ZPOPMAX \
            ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREMRANGEBYLEX XADD XDEL XTRIM XACK XCLAIM XAUTOCLAIM PFADD GEOADD RESTORE PERSIST \
            JSON.SET
            """, RedisCommand(.first(.write)))
        add("SET", RedisCommand(.first(.write), .option))
        add("SETNX GETSET", RedisCommand(.first(.write), holdsValue: true))
        add("SETEX", RedisCommand(.first(.write), .second(decimals: 9, isPoint: false), holdsValue: true))
        add("PSETEX", RedisCommand(.first(.write), .second(decimals: 6, isPoint: false), holdsValue: true))
        add("EXPIRE", RedisCommand(.first(.write), .second(decimals: 9, isPoint: false)))
        add("PEXPIRE", RedisCommand(.first(.write), .second(decimals: 6, isPoint: false)))
        add("EXPIREAT", RedisCommand(.first(.write), .second(decimals: 9, isPoint: true)))
        add("PEXPIREAT", RedisCommand(.first(.write), .second(decimals: 6, isPoint: true)))
        add("MSET MSETNX", RedisCommand(.pairs))
        add("BLPOP BRPOP BZPOPMIN BZPOPMAX", RedisCommand(.allButLast(.write)))
        add("LMPOP ZMPOP", RedisCommand(.counted(.write, at: 0)))
        add("BLMPOP BZMPOP", RedisCommand(.counted(.write, at: 1)))
        add("RENAME RENAMENX", RedisCommand(.two(.remove, .write)))
        add("COPY", RedisCommand(.two(.read, .write)))
        add("RPOPLPUSH BRPOPLPUSH LMOVE BLMOVE SMOVE", RedisCommand(.two(.write, .write)))
        add("ZRANGESTORE GEOSEARCHSTORE", RedisCommand(.two(.write, .read)))
        add("SINTERSTORE SUNIONSTORE SDIFFSTORE PFMERGE", RedisCommand(.storeAll))
        add("ZUNIONSTORE ZINTERSTORE ZDIFFSTORE", RedisCommand(.storeCounted))
        add("BITOP", RedisCommand(.bitOperation))
        add("DEL UNLINK", RedisCommand(.all(.remove)))
        add("JSON.DEL", RedisCommand(.first(.remove)))
        add("GETDEL", RedisCommand(.readAndRemove))
        return commands
    }()

    /// The most keys of one command that are taken, so that a line cannot fill memory.
    static let keysMax = 1 << 20

    /// The keys among the arguments, as their places with what is done to them; nil if arguments are missing or make no sense.
    func places(
        among count: Int, _ argument: (Int) -> UnsafeRawBufferPointer
    ) -> [(place: Int, operation: TraceOperation)]? {
        func each(_ places: some Sequence<Int>, _ operation: TraceOperation) -> [(Int, TraceOperation)] {
            places.map { ($0, operation) }
        }
        func number(_ place: Int) -> Int? {
            guard place < count, let number = Fields.integer(argument(place)) else { return nil }
            return number > 0 && number <= UInt64(count - place - 1) ? Int(number) : nil
        }
        guard count > 0 else { return nil }
        switch keys {
        case .first(let operation): return [(0, operation)]
        case .all(let operation): return each(0..<count, operation)
        case .allButLast(let operation): return count > 1 ? each(0..<count - 1, operation) : nil
        case .pairs: return count.isMultiple(of: 2) ? each(stride(from: 0, to: count, by: 2), .write) : nil
        case .two(let first, let second): return count > 1 ? [(0, first), (1, second)] : nil
        case .storeAll: return each(1..<count, .read) + [(0, .write)]
        case .storeCounted: return number(1).map { each(2..<2 + $0, .read) + [(0, .write)] }
        case .counted(let operation, let place):
            return number(place).map { each(place + 1..<place + 1 + $0, operation) }
        case .bitOperation: return count > 2 ? each(2..<count, .read) + [(1, .write)] : nil
        case .streams:
            let word = (0..<count).first { Self.isWord(argument($0), "STREAMS") }
            guard let word, (count - word - 1).isMultiple(of: 2), word + 1 < count else { return nil }
            return each(word + 1..<word + 1 + (count - word - 1) / 2, .read)
        case .readAndRemove: return [(0, .read), (0, .remove)]
        }
    }

    /// How long the value stays valid, in nanoseconds, where the arguments state it; 0 or less for not at all.
    ///
    /// - Parameter now: The time of the command, in nanoseconds from 1970.
    /// - Returns: nil for without end or unsaid.
    func timeToLive(
        among count: Int, now: Int64, _ argument: (Int) -> UnsafeRawBufferPointer
    ) -> Int64? {
        func duration(_ place: Int, _ decimals: Int, _ isPoint: Bool) -> Int64? {
            guard place < count, let value = Fields.fixedPoint(argument(place), decimals: decimals) else { return nil }
            guard isPoint else { return value }
            let (left, overflow) = value.subtractingReportingOverflow(now)
            return overflow ? nil : left
        }
        switch timeToLive {
        case .none: return nil
        case .second(let decimals, let isPoint): return duration(1, decimals, isPoint)
        case .option:
            // The value of SET comes second and may read like an option.
            for place in (isRead ? 1 : 2)..<max(count, 2) where place < count {
                let word = argument(place)
                if Self.isWord(word, "EX") { return duration(place + 1, 9, false) }
                if Self.isWord(word, "PX") { return duration(place + 1, 6, false) }
                if Self.isWord(word, "EXAT") { return duration(place + 1, 9, true) }
                if Self.isWord(word, "PXAT") { return duration(place + 1, 6, true) }
            }
            return nil
        }
    }

    /// The place of the whole value that is written to the key at a place; nil if the command does not have it.
    func value(of place: Int, among count: Int) -> Int? {
        switch (keys, timeToLive) {
        case (.pairs, _): place + 1
        case (.first(.write), .option): count > 1 ? 1 : nil
        case (.first(.write), .second) where count > 2 && holdsValue: 2
        case (.first(.write), .none) where count == 2 && holdsValue: 1
        default: nil
        }
    }

    private var isRead: Bool {
        if case .first(.read) = keys { return true }
        return false
    }

    private static func isWord(_ text: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        text.count == word.utf8CodeUnitCount
            && text.indices.allSatisfy { text[$0] & 0xdf == word.utf8Start[$0] }
    }
}
