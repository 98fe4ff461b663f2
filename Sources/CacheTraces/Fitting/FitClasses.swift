internal import CacheCore

/// LRU stack distances in few classes, of which none smears more than a small share of the requests.
struct DistanceClasses {
    /// The last distance of each class.
    private(set) var distances: [Int] = []
    /// The requests of each class.
    private(set) var counts: [Int] = []

    /// Classes of the requests with each distance. Each class has at most a `resolution`-th of the requests or is a single distance, so
    /// that a curve of hit ratios that knows the classes alone is nowhere off by more than that.
    init(_ byDistance: [Int], requests: Int, resolution: Int) {
        let limit = max(1, requests / resolution)
        var open = 0
        for distance in byDistance.indices.dropFirst() where byDistance[distance] > 0 {
            let count = byDistance[distance]
            if open > 0, open + count > limit {
                close(distance - 1, open)
                open = 0
            }
            guard count > limit else {
                open += count
                continue
            }
            // What lies before it stays apart, also where nothing has such a distance.
            if distance - 1 > distances.last ?? 0 { close(distance - 1, 0) }
            close(distance, count)
        }
        if open > 0 { close(byDistance.count - 1, open) }
    }

    private mutating func close(_ last: Int, _ count: Int) {
        distances.append(last)
        counts.append(count)
    }
}

/// Objects by how often they are asked for.
struct PopularityClasses {
    /// The objects of each class.
    private(set) var objects: [Int] = []
    /// The requests that they get together.
    private(set) var requests: [Int] = []

    /// Classes of objects by their requests: single counts up to 8, then so many classes for each doubling.
    init(_ byObject: [UInt32], perDoubling: Int) {
        var classes: [Int: (objects: Int, requests: Int)] = [:]
        for count in byObject where count > 0 {
            let index = Self.index(of: count, perDoubling)
            classes[index, default: (0, 0)].objects += 1
            classes[index, default: (0, 0)].requests += Int(count)
        }
        for (_, found) in classes.sorted(by: { $0.key < $1.key }) {
            objects.append(found.objects)
            requests.append(found.requests)
        }
    }

    /// The class of a number: itself up to 8, then `perDoubling`, a power of two up to 8, for each doubling.
    static func index(of number: UInt32, _ perDoubling: Int) -> Int {
        guard number > 8 else { return Int(number) }
        let bits = 31 - number.leadingZeroBitCount
        let within = Int((UInt64(number) * UInt64(perDoubling)) >> UInt64(bits)) - perDoubling
        return 8 + (bits - 3) * perDoubling + within + 1
    }
}

/// Values of objects in few classes.
struct ValueClasses {
    private static let exactMax = 64
    private let classes: [ValueClass]

    /// Classes of values: each of its own where there are few, else four for each doubling.
    init(_ byObject: [UInt32]) {
        var counts: [UInt32: Int] = [:]
        for value in byObject { counts[value, default: 0] += 1 }
        let isExact = counts.count <= Self.exactMax
        var found: [Int: ValueClass] = [:]
        for (value, count) in counts {
            let index = isExact ? Int(value) : PopularityClasses.index(of: value, 4)
            let one = found[index] ?? ValueClass(Int(value), Int(value), share: 0)
            found[index] = ValueClass(min(one.first, Int(value)), max(one.last, Int(value)), share: one.share + count)
        }
        classes = found.sorted { $0.key < $1.key }.map(\.value)
    }

    var distribution: ValueDistribution {
        classes.count == 1 && classes[0].first == classes[0].last && classes[0].first > 0
            ? .fixed(classes[0].first) : .classes(classes)
    }
}

/// How likely a Zipf popularity makes the counts of objects.
struct ZipfLikelihood {
    /// The logarithm of each rank up to `exactRanks`, and of the middle of each stretch of ranks beyond.
    private let logarithms: [Double]
    /// The ranks that each stands for.
    private let widths: [Double]
    /// The mean logarithm of a request's rank.
    private let meanLogarithm: Double

    init(counts: [Int]) {
        let sorted = counts.filter { $0 > 0 }.sorted(by: >)
        var (logarithms, widths) = ([Double](), [Double]())
        var (sum, requests) = (0.0, 0.0)
        var rank = 0
        while rank < sorted.count {
            // Stretches of a thousandth of the rank, single ranks up to 1000.
            let width = min(max(1, rank / 1000), sorted.count - rank)
            let logarithm = PortableMath.log(Double(rank) + Double(width + 1) / 2)
            let asked = Double(sorted[rank..<rank + width].reduce(0, +))
            logarithms.append(logarithm)
            widths.append(Double(width))
            sum += asked * logarithm
            requests += asked
            rank += width
        }
        (self.logarithms, self.widths) = (logarithms, widths)
        meanLogarithm = requests > 0 ? sum / requests : 0
    }

    /// The likeliest exponent from 0 to 10: under it, ranks have the mean logarithm that they have.
    var exponent: Double {
        guard logarithms.count > 1 else { return 0 }
        var (low, high) = (0.0, 10.0)
        for _ in 0..<30 {
            let middle = (low + high) / 2
            if expectedLogarithm(middle) > meanLogarithm { low = middle } else { high = middle }
        }
        // As many digits as a trace can tell.
        return ((low + high) / 2 * 10_000).rounded() / 10_000
    }

    private func expectedLogarithm(_ exponent: Double) -> Double {
        var (weight, sum) = (0.0, 0.0)
        for (logarithm, width) in zip(logarithms, widths) {
            let one = width * PortableMath.exp(-exponent * logarithm)
            weight += one
            sum += one * logarithm
        }
        return sum / weight
    }
}
