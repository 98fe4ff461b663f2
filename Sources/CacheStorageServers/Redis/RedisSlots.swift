#if Servers
    /// Which of a Redis Cluster's 16384 slots a key belongs to, and which server has the slot (Redis Cluster Specification).
    struct RedisSlots: Sendable {
        /// The number of slots of every cluster.
        static let count = 16_384

        private var owners: [ServerAddress?]

        /// A map on which every slot's server is unknown.
        init() { owners = Array(repeating: nil, count: Self.count) }

        /// The server of a slot, nil if it is unknown.
        subscript(slot: Int) -> ServerAddress? {
            get { owners[slot] }
            set { owners[slot] = newValue }
        }

        /// Every server that has slots, each once, in the order of its first slot.
        var servers: [ServerAddress] {
            var seen: Set<ServerAddress> = []
            return owners.compactMap { owner in owner.flatMap { seen.insert($0).inserted ? $0 : nil } }
        }

        /// The slot of a key: of what stands between the first `{` and the next `}`, if that is anything, else of all bytes.
        static func slot(of key: [UInt8]) -> Int {
            if let start = key.firstIndex(of: UInt8(ascii: "{")),
                let end = key[(start + 1)...].firstIndex(of: UInt8(ascii: "}")), end > start + 1
            {
                return Int(crc16(key[(start + 1)..<end])) % count
            }
            return Int(crc16(key[...])) % count
        }

        /// The cyclic redundancy check of 16 bits that XMODEM uses: polynomial 0x1021, starting at zero.
        static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
            bytes.reduce(0) { crc, byte in (crc << 8) ^ table[Int(UInt8(truncatingIfNeeded: crc >> 8) ^ byte)] }
        }

        private static let table: [UInt16] = (0..<256).map { index in
            (0..<8).reduce(UInt16(index) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : (crc << 1) ^ 0x1021 }
        }

        /// Reads the reply to CLUSTER SLOTS; a server that does not name its own host is at `host`.
        ///
        /// Returns nil if the reply is of another form.
        init?(_ reply: RESPValue, askedOf host: String?) {
            self.init()
            guard let ranges = reply.elements, ranges.count <= Self.count else { return nil }
            for range in ranges {
                guard let parts = range.elements, parts.count >= 3, let first = parts[0].integer,
                    let last = parts[1].integer,
                    first >= 0, first <= last, last < Self.count, let node = parts[2].elements, node.count >= 2,
                    let port = node[1].integer, (1...65_535).contains(port)
                else { return nil }
                let named = node[0].text.flatMap { $0.isEmpty || $0 == "?" ? nil : $0 }
                guard let name = named ?? host else { return nil }
                let address = ServerAddress(host: name, port: Int(port))
                for slot in Int(first)...Int(last) { owners[slot] = address }
            }
        }
    }
#endif
