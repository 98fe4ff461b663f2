public import CacheCore

/// What a shard found out: results that every reader of results reads, with what tells where they belong.
public struct ShardResult: Encodable, Sendable {
    /// Where results belong in a sweep.
    public struct Place: Codable, Sendable, Hashable {
        /// The digest of the plan.
        public var plan: String
        /// The number of the shard.
        public var index: Int
        /// How many of the combinations come from each block of the plan, in its order.
        public var cellsByBlock: [Int]

        /// A place.
        public init(plan: String, index: Int, cellsByBlock: [Int]) {
            (self.plan, self.index, self.cellsByBlock) = (plan, index, cellsByBlock)
        }

        /// The results' combinations that come from a block; nil if the counts are not those of the results.
        public func cells(of block: Int, in cells: [CellResult]) -> ArraySlice<CellResult>? {
            guard cellsByBlock.indices.contains(block), cellsByBlock.allSatisfy({ (0...cells.count).contains($0) }),
                cellsByBlock.reduce(0, &+) == cells.count
            else { return nil }
            let first = cellsByBlock[..<block].reduce(0, +)
            return cells[first..<first + cellsByBlock[block]]
        }
    }

    /// The member of the JSON that says where results belong.
    public struct Head: Codable, Sendable {
        /// The place.
        public var shard: Place

        /// A head.
        public init(shard: Place) { self.shard = shard }
    }

    /// Where they belong.
    public var place: Place
    /// The results.
    public var results: RunResults

    /// Results with their place.
    public init(place: Place, results: RunResults) { (self.place, self.results) = (place, results) }

    /// The members of the results and one more.
    public func encode(to encoder: any Encoder) throws {
        try results.encode(to: encoder)
        try Head(shard: place).encode(to: encoder)
    }
}
