/// What no replay on this machine passes whose policy goes on evicting: it does what every such policy must and nothing else.
///
/// One pass streams the ids of a trace and makes, for each request, one read at a place that the id tells, in a table of 4
/// bytes an object. There are two such loops. In ``pass()`` no read waits for another, and each is announced as far ahead as a
/// replay announces requests to a policy: the processor makes many at once. In ``dependentPass()`` the place depends on what
/// was read before, as what a policy does with a request depends on the one before it. `scripts/peers-replay` prints each
/// policy's share of the speed of both. O(requests) a pass.
public struct ReplayRoofline: ~Copyable {
    private let columns: RequestColumns
    private let table: FixedBuffer<UInt32>

    /// A bound for the trace with these columns.
    public init(_ columns: RequestColumns) {
        self.columns = columns
        table = FixedBuffer(repeating: 1, count: columns.objects.count)
    }

    /// Runs the loop of independent reads once; returns the sum of what it read, which is the number of requests.
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

    /// Runs the loop of dependent reads once; returns the same.
    @inline(never)
    public func dependentPass() -> Int {
        // The table is full of ones, which nobody but its author knows.
        var (read, sum) = (UInt32(1), 0)
        for id in columns.ids {
            read = table[id &+ read &- 1]
            sum &+= Int(read)
        }
        return sum
    }
}
