internal import CacheCore

/// Requests whose LRU stack distances have a given histogram, so that LRU's hit ratio is known at every capacity.
///
/// A request either asks for a new object or draws a class of distances, which is not put back, and takes one of the objects at these
/// places of the stack: the more requests an object still has to get, the likelier. A class is left for later, and another one drawn,
/// the likelier the fewer requests its objects still have to get, measured by how many they had lately. New objects draw how many they
/// get in all, in proportion to the requests that are left for each class of popularity, as independent requests would bring them up. So
/// the histogram of distances holds exactly, as far as its classes tell, and the popularity nearly.
///
/// O(log objects) a request, some four draws on average. Memory: about 60 bytes for each object that has been asked for.
struct ReuseGenerator: KeyGenerator {
    private static let drawsMax = 16

    private let model: ReuseModel
    private let reusesTotal: Int
    private var reuses: CountTree
    /// The classes of which at least the first distance is within the stack, and the requests that are left for them.
    private var usableClasses = 0
    private var usableReuses: UInt64 = 0
    private var newObjects: UInt64
    /// For each class, how many requests its objects lately had to get yet: a moving mean.
    private var meanWeights: [Double]
    private var popularity: PopularityDraw
    private var stack = WeightedStack()
    private var random: SeededGenerator

    init(_ model: ReuseModel, requests: Int, objects: Int, seed: UInt64) {
        self.model = model
        newObjects = UInt64(min(requests, objects))
        meanWeights = [Double](repeating: 0, count: model.distances.count)
        reusesTotal = max(0, requests - objects)
        reuses = CountTree(ReuseModel.scaled(model.reuses, to: reusesTotal))
        popularity = PopularityDraw(model, requests: requests, objects: objects)
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        admitClasses()
        if usableReuses + newObjects == 0 {
            // More requests than were to be expected, or distances beyond all objects: once more from the beginning.
            reuses = CountTree(ReuseModel.scaled(model.reuses, to: max(reusesTotal, model.distances.count)))
            (usableClasses, usableReuses) = (0, 0)
            admitClasses()
        }
        let choices = usableReuses + newObjects
        guard choices > 0 else {
            return UInt64(stack.touch(stack.places(from: stack.count, through: stack.count), &random))
        }
        guard random.next(below: choices) < usableReuses else {
            newObjects -= 1
            return UInt64(stack.push(weight: UInt32(popularity.next(&random) - 1)))
        }
        let (drawn, places) = drawClass()
        reuses.take(drawn)
        usableReuses -= 1
        return UInt64(stack.touch(places, &random))
    }

    /// A class that objects with requests to get are in, more or less, and its places.
    private mutating func drawClass() -> (Int, WeightedStack.Places) {
        var draws = 0
        while true {
            let drawn = reuses.index(of: random.next(below: usableReuses))
            let places = stack.places(from: least(drawn), through: min(model.distances[drawn], stack.count))
            let (weight, mean) = (Double(places.weight), meanWeights[drawn])
            meanWeights[drawn] = mean + (weight - mean) / 64
            draws += 1
            if draws == Self.drawsMax || weight >= random.nextUnit() * 4 * mean { return (drawn, places) }
        }
    }

    /// Adds the classes that the stack has come to reach.
    private mutating func admitClasses() {
        while usableClasses < model.distances.count, least(usableClasses) <= stack.count {
            usableReuses += reuses.count(of: usableClasses)
            usableClasses += 1
        }
    }

    private func least(_ index: Int) -> Int { index == 0 ? 1 : model.distances[index - 1] + 1 }
}

/// Counts of classes, from which one can be drawn: a Fenwick tree.
private struct CountTree {
    private var counts: [UInt64]
    private var tree: [UInt64]
    private let top: Int

    init(_ counts: [Int]) {
        self.counts = counts.map { UInt64($0) }
        tree = [0] + self.counts
        for index in stride(from: 1, to: tree.count, by: 1) {
            let parent = index + (index & -index)
            if parent < tree.count { tree[parent] += tree[index] }
        }
        top = counts.isEmpty ? 0 : 1 << (Int.bitWidth - 1 - counts.count.leadingZeroBitCount)
    }

    func count(of index: Int) -> UInt64 { counts[index] }

    /// The class that holds the place `draw` of all, from 0.
    func index(of draw: UInt64) -> Int {
        var (place, passed, step) = (0, UInt64(0), top)
        while step > 0 {
            if place + step < tree.count, passed + tree[place + step] <= draw {
                place += step
                passed += tree[place]
            }
            step >>= 1
        }
        return place
    }

    /// Takes one out of a class.
    mutating func take(_ taken: Int) {
        counts[taken] -= 1
        var index = taken + 1
        while index < tree.count {
            tree[index] -= 1
            index += index & -index
        }
    }
}

/// Draws how many requests each new object gets.
private struct PopularityDraw {
    private var objects: [UInt64]
    private var requests: [UInt64]
    private var total: UInt64

    init(_ model: ReuseModel, requests: Int, objects: Int) {
        self.objects = ReuseModel.scaled(model.objects, to: objects).map { UInt64($0) }
        let scaled = ReuseModel.scaled(model.requests, to: requests).map { UInt64($0) }
        // What rounding gives to a class without objects nobody gets.
        self.requests = zip(self.objects, scaled).map { $0 == 0 ? 0 : $1 }
        total = self.requests.reduce(0, +)
    }

    /// The number of requests of the next new object, at least 1.
    mutating func next(_ random: inout SeededGenerator) -> UInt64 {
        guard total > 0 else { return 1 }
        var draw = random.next(below: total)
        var index = 0
        while draw >= requests[index] {
            draw -= requests[index]
            index += 1
        }
        let (whole, rest) = requests[index].quotientAndRemainder(dividingBy: objects[index])
        let given = whole + (rest > 0 && random.next(below: objects[index]) < rest ? 1 : 0)
        objects[index] -= 1
        // The last object of a class takes what rounding has left.
        let taken = objects[index] == 0 ? requests[index] : given
        requests[index] -= taken
        total -= taken
        return max(1, taken)
    }
}
