/// How often objects come back, and after how many others: what a workload that was fitted to a trace has instead of its keys.
///
/// Both lists of numbers are shares: they are scaled to the requests and objects of the specification.
public struct ReuseModel: Codable, Hashable, Sendable {
    /// The largest LRU stack distance of each class, ascending, at least 1; a class begins after the end of the one before. The
    /// distance of a request is the number of objects, its own included, that were asked for since its object's last request.
    public var distances: [Int]
    /// The requests with a distance in each class, 0 or more.
    public var reuses: [Int]
    /// The objects in each class of popularity, at least 1.
    public var objects: [Int]
    /// The requests that each class of popularity gets in all, at least one an object.
    public var requests: [Int]

    /// The most classes of either kind.
    public static var classesMax: Int { 4096 }
    /// The most objects of a specification, whose generator takes about 60 bytes for each that has been asked for.
    static var objectsMax: Int { 1 << 28 }

    /// A model; ``WorkloadSpecification/validate()`` says whether it can be generated.
    public init(distances: [Int], reuses: [Int], objects: [Int], requests: [Int]) {
        self.distances = distances
        self.reuses = reuses
        self.objects = objects
        self.requests = requests
    }

    /// What is wrong with the numbers, nil if nothing is.
    var fault: String? {
        let limit = 1 << 40
        guard distances.count == reuses.count, objects.count == requests.count else {
            return "reuse needs as many reuses as distances, and popularity as many requests as objects"
        }
        guard distances.count <= Self.classesMax, (1...Self.classesMax).contains(objects.count) else {
            return "reuse may have \(Self.classesMax) classes, and popularity from 1 to \(Self.classesMax)"
        }
        guard zip([0] + distances, distances).allSatisfy(<), distances.last ?? 0 <= limit else {
            return "distances must ascend from at least 1 to at most \(limit)"
        }
        guard (reuses + objects + requests).allSatisfy({ (0...limit).contains($0) }) else {
            return "reuses, objects and requests of classes must be from 0 to \(limit)"
        }
        guard zip(objects, requests).allSatisfy({ $0 >= 1 && $1 >= $0 }) else {
            return "a class of popularity needs at least 1 object, and at least as many requests as objects"
        }
        return nil
    }

    /// The whole model in words, which every number that matters is part of.
    var canonicalText: String {
        "reuse(distances \(distances), reuses \(reuses), objects \(objects), requests \(requests))"
    }

    /// Whole numbers in proportion to `shares`, at least 0, that sum up to `total`; all 0 if the shares are.
    static func scaled(_ shares: [Int], to total: Int) -> [Int] {
        let sum = UInt64(shares.reduce(0, +))
        guard sum > 0 else { return shares }
        var (before, passed) = (0, UInt64(0))
        return shares.map { share in
            passed += UInt64(share)
            let part = Int(sum.dividingFullWidth(passed.multipliedFullWidth(by: UInt64(total))).quotient)
            defer { before = part }
            return part - before
        }
    }
}
