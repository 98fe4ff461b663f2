internal import CacheCore
internal import PolicySupport

/// A sample of places, drawn with replacement, which may be drawn some time before it is wanted so that what it leads to can be
/// fetched.
///
/// Two places come from each number of the generator. What was drawn ahead counts as not drawn if the generator is asked for
/// anything else first: every number comes in the order in which it is used. Memory: 4 bytes a place of the sample.
struct DrawnPlaces: ~Copyable {
    private let places: FixedBuffer<UInt32>
    /// How many places a sample has.
    let count: Int
    private var generator: WyrandGenerator
    private var afterwards: WyrandGenerator
    /// How many places the sample was drawn from; 0 if none was drawn.
    private var range = 0

    /// Samples of `count` places, at least 1.
    init(count: Int, seed: UInt64) {
        self.count = count
        // Places are drawn in pairs.
        places = FixedBuffer(repeating: 0, count: count + 1)
        generator = WyrandGenerator(seed: seed)
        afterwards = generator
    }

    /// A number below `bound`, as the generator gives it.
    @inline(__always)
    mutating func next(below bound: Int) -> Int {
        range = 0
        return generator.next(below: bound)
    }

    /// Draws the next sample of the places `0..<range`, and tells `body` of each pair of them.
    @inline(__always)
    mutating func drawAhead(of range: Int, _ body: (UInt32, UInt32) -> Void) {
        self.range = range
        let places = places.base
        var number = 0
        afterwards = generator
        while number < count {
            let (first, second) = afterwards.nextPair(below: UInt32(truncatingIfNeeded: range))
            places[number] = first
            places[number &+ 1] = second
            body(first, second)
            number &+= 2
        }
    }

    /// The next sample of the places `0..<range`, of which there must be one: `count` places, valid until the next is drawn.
    @inline(__always)
    mutating func take(of range: Int) -> UnsafePointer<UInt32> {
        if self.range != range { drawAhead(of: range) { _, _ in } }
        self.range = 0
        generator = afterwards
        return UnsafePointer(places.base)
    }
}
