/// Numbers at positions, with the least and the greatest of each 16, of each 256 and so on above them.
///
/// It finds the next number of a range without looking at stretches that hold none: O(log n) sixteen-fold steps where the
/// bounds tell stretches apart, more where many hold numbers on both sides of the range. 4.5 bytes a position.
struct BoundsTree: ~Copyable {
    /// Stands at positions that hold nothing; greater than every number.
    static var nothing: UInt32 { .max }
    private static var widthBits: Int { 4 }
    private static var width: Int { 1 << widthBits }

    /// Level by level, the numbers themselves first; each level has whole nodes and an entry to spare.
    private let least: UnsafeMutablePointer<UInt32>
    /// As `least`, from the first level of nodes on.
    private let greatest: UnsafeMutablePointer<UInt32>
    /// Where each level begins.
    private let starts: [Int]

    /// Room for that many numbers.
    init(positions: Int) {
        var starts = [0]
        var length = Self.padded(positions)
        while length > Self.width {
            starts.append(starts[starts.count - 1] + length)
            length = Self.padded(length >> Self.widthBits)
        }
        let total = starts[starts.count - 1] + length
        least = .allocate(capacity: total)
        least.initialize(repeating: Self.nothing, count: total)
        let nodes = starts.count > 1 ? total - starts[1] : 0
        greatest = .allocate(capacity: max(1, nodes))
        greatest.initialize(repeating: 0, count: max(1, nodes))
        self.starts = starts
    }

    deinit {
        least.deallocate()
        greatest.deallocate()
    }

    private static func padded(_ length: Int) -> Int { length == width ? width : (length / width + 1) * width }

    /// The number at a position. After changes, ``update(_:)`` must follow before anything is searched for.
    subscript(position: Int) -> UInt32 {
        @inline(__always) get { least[position] }
        @inline(__always) nonmutating set { least[position] = newValue }
    }

    /// The first position whose number is at most `bound`, nil if there is none.
    func first(atMost bound: UInt32) -> Int? {
        var level = starts.count - 1
        var index = 0
        while true {
            let entries = least + starts[level]
            let end = index + Self.width
            while index < end, entries[index] > bound { index &+= 1 }
            guard index < end else { return nil }
            if level == 0 { return index }
            level -= 1
            index <<= Self.widthBits
        }
    }

    /// The first position from `position` on whose number is above `floor` and at most `bound`, nil if there is none.
    func next(from position: Int, above floor: UInt32, atMost bound: UInt32) -> Int? {
        var level = 0
        var index = position
        while level < starts.count {
            let lows = least + starts[level]
            let highs = level == 0 ? lows : greatest + (starts[level] - starts[1])
            let end = (index | (Self.width &- 1)) &+ 1
            while index < end, lows[index] > bound || highs[index] <= floor { index &+= 1 }
            if index == end {
                index = end >> Self.widthBits
                level &+= 1
            } else if level == 0 {
                return index
            } else {
                level &-= 1
                index <<= Self.widthBits
            }
        }
        return nil
    }

    /// Settles the bounds above positions whose numbers have changed.
    func update(_ positions: ClosedRange<Int>) {
        var (first, last) = (positions.lowerBound, positions.upperBound)
        var level = 1
        while level < starts.count {
            first >>= Self.widthBits
            last >>= Self.widthBits
            var hasChanged = false
            for node in first...last where settle(node, level) { hasChanged = true }
            guard hasChanged else { return }
            level &+= 1
        }
    }

    /// Computes the bounds of one node from its children and returns whether they are new.
    @inline(__always)
    private func settle(_ node: Int, _ level: Int) -> Bool {
        let lows = least + (starts[level &- 1] + node << Self.widthBits)
        let highs = level == 1 ? lows : greatest + (starts[level &- 1] - starts[1] + node << Self.widthBits)
        var (low, high) = (lows[0], highs[0])
        for child in 1..<Self.width {
            low = min(low, lows[child])
            high = max(high, highs[child])
        }
        let entry = starts[level] &+ node
        guard least[entry] != low || greatest[entry &- starts[1]] != high else { return false }
        least[entry] = low
        greatest[entry &- starts[1]] = high
        return true
    }
}
