/// How full a cache is at each moment of a trace, with reservations from one moment to another in any order.
///
/// A tree over the moments in which each node holds the most that is taken anywhere below it, counting what is taken of
/// all moments below that node but not of more; what is taken of exactly those is the difference to its fuller child.
/// Each reservation is O(log moments), from the leaves up. Memory: 8 bytes for each of twice the moments, rounded up to a
/// power of two.
struct Occupancy {
    private var peaks: [Int]
    private let leaves: Int
    private let capacity: Int

    /// An empty cache over moments `0..<moments`.
    init(moments: Int, capacity: Int) {
        var width = 1
        while width < moments { width *= 2 }
        leaves = width
        peaks = Array(repeating: 0, count: 2 * width)
        self.capacity = capacity
    }

    /// Takes `weight` at each moment of `start..<end`, which is not empty, and returns true; or changes nothing if there
    /// is too little room.
    mutating func reserve(_ weight: Int, from start: Int, to end: Int) -> Bool {
        let (first, last) = (start + leaves, end - 1 + leaves)
        // The root's peak is that of all moments.
        guard peaks[1] + weight <= capacity || peak(first, last) + weight <= capacity else { return false }
        add(weight, first, last)
        return true
    }

    /// The most that is taken from one leaf to another.
    private func peak(_ first: Int, _ last: Int) -> Int {
        var (left, right) = (first, last)
        var (leftPeak, rightPeak) = (peaks[left], peaks[right])
        while left ^ right > 1 {
            // A left child's sibling lies between the two leaves, and so does a right child's on the other side.
            if left & 1 == 0 { leftPeak = max(leftPeak, peaks[left ^ 1]) }
            if right & 1 == 1 { rightPeak = max(rightPeak, peaks[right ^ 1]) }
            leftPeak += takenEverywhere(below: left / 2)
            rightPeak += takenEverywhere(below: right / 2)
            (left, right) = (left / 2, right / 2)
        }
        var peak = max(leftPeak, rightPeak)
        while left > 1 {
            left /= 2
            peak += takenEverywhere(below: left)
        }
        return peak
    }

    private func takenEverywhere(below node: Int) -> Int {
        peaks[node] - max(peaks[2 * node], peaks[2 * node + 1])
    }

    private mutating func add(_ weight: Int, _ first: Int, _ last: Int) {
        var (left, right) = (first, last)
        var (leftBefore, rightBefore) = (peaks[left], peaks[right])
        peaks[left] += weight
        if right != left { peaks[right] += weight }
        while left ^ right > 1 {
            leftBefore = lift(left, from: leftBefore, adding: left & 1 == 0 ? weight : 0)
            rightBefore = lift(right, from: rightBefore, adding: right & 1 == 1 ? weight : 0)
            (left, right) = (left / 2, right / 2)
        }
        if left != right {
            let parent = left / 2
            let everywhere = peaks[parent] - max(leftBefore, rightBefore)
            leftBefore = peaks[parent]
            peaks[parent] = everywhere + max(peaks[left], peaks[right])
            left = parent
        }
        // No peak above changes once one does not.
        while left > 1, peaks[left] != leftBefore {
            leftBefore = lift(left, from: leftBefore, adding: 0)
            left /= 2
        }
    }

    /// Adds a weight to a node's sibling, brings the parent up to date, and returns what its peak was; the node's own was
    /// `before`.
    private mutating func lift(_ node: Int, from before: Int, adding weight: Int) -> Int {
        let parent = node / 2
        let parentBefore = peaks[parent]
        let everywhere = parentBefore - max(before, peaks[node ^ 1])
        if weight != 0 { peaks[node ^ 1] += weight }
        peaks[parent] = everywhere + max(peaks[node], peaks[node ^ 1])
        return parentBefore
    }
}
