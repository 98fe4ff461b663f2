internal import CacheCore
internal import CacheEngine

extension CallRecords {
    /// As the blocking one. What the origin answers once nobody waits for it any more is not stored.
    func ask(
        _ key: [UInt8], _ function: String, as begun: Int? = nil, _ origin: @Sendable () async throws -> CallRecord
    ) async throws -> CallRecord {
        let number = if let begun { begun } else { await onBlockingThread { self.begin(key) } }
        monitor.note(.asked, function)
        let record: CallRecord
        do { record = try await origin() } catch {
            let isCancelled = Task.isCancelled
            await onBlockingThread { self.end(number, key, error, isCancelled: isCancelled) }
            monitor.note(.originFailed, function)
            throw error
        }
        // What a request answers that was cancelled may be a part of its answer.
        let isWanted = !Task.isCancelled
        monitor.note(await onBlockingThread { self.store(record, key, from: number, isWanted: isWanted) }, function)
        return record
    }

    /// As the blocking one. A caller that is cancelled disturbs nobody; when all have been, so is the request.
    func askShared(
        _ key: [UInt8], _ function: String, limit: Duration?, seen: Int?,
        _ origin: @escaping @Sendable () async throws -> CallRecord
    ) async throws -> Finding {
        while true {
            let leads = Flag()
            let found = try await flights.load(key, false, LoadOrder(nil, [])) { order in
                leads.raise()
                order.isKept = false
                let (number, record) = try await onBlockingThread { () throws in
                    try self.beginShared(key, function, limit: limit, seen: seen)
                }
                if let record { return Finding(record: record, isCached: true) }
                return Finding(record: try await self.ask(key, function, as: number, origin), isCached: false)
            }
            guard let found else { continue }
            let isLeader = leads.isRaised
            if let mine = await onBlockingThread({ self.own(found, isLeader, key, function, limit, seen) }) {
                return mine
            }
        }
    }
}
