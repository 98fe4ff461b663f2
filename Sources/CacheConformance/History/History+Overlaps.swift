extension History {
    /// How many operations overlap another client's write of the same key. O(n log n) for few clients.
    var overlaps: Int {
        let order = operations.indices.sorted { operations[$0].callTime < operations[$1].callTime }
        // What each client asked last of a key: all that it asked before has returned.
        var latest: [Int32: [Int32: Int]] = [:]
        var beside: Set<Int> = []
        for index in order {
            let operation = operations[index]
            for (client, other) in latest[operation.key, default: [:]]
            where client != operation.client && operations[other].returnTime > operation.callTime {
                if !operations[other].isObservation { beside.insert(index) }
                if !operation.isObservation { beside.insert(other) }
            }
            latest[operation.key, default: [:]][operation.client] = index
        }
        return beside.count
    }
}
