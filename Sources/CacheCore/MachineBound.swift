/// What no replay on this machine passes whose policy goes on evicting: it does what every such policy must and nothing else.
///
/// One pass streams the ids of a trace and makes, for each request, one read at a place that only the id tells, in a table
/// of 4 bytes an object, announced as far ahead as a replay announces requests to a policy. `scripts/peers-replay` prints
/// each policy's share of the speed of this loop. O(requests) a pass.
public struct MachineBound: ~Copyable {
    private let columns: RequestColumns
    private let table: FixedBuffer<UInt32>

    /// A bound for the trace with these columns.
    public init(_ columns: RequestColumns) {
        self.columns = columns
        table = FixedBuffer(repeating: 1, count: columns.objects.count)
    }

    /// Runs the loop once; returns the sum of what it read, which is the number of requests.
    @inline(never)
    public func pass() -> Int {
        let ids = columns.ids
        let last = ids.count &- prefetchDistance
        var (position, sum) = (0, 0)
        while position < last {
            table.prefetch(ids[position &+ prefetchDistance])
            sum &+= Int(table[ids[position]])
            position &+= 1
        }
        while position < ids.count {
            sum &+= Int(table[ids[position]])
            position &+= 1
        }
        return sum
    }
}
