/// In which order a generated trace asks for its objects.
public enum AccessPattern: Codable, Hashable, Sendable {
    /// Every object is equally popular.
    case uniform
    /// The object of rank k has probability proportional to `k^-exponent`, exponent at least 0.
    case zipf(exponent: Double)
    /// All objects in order, again and again.
    case loop
    /// A hot set of `hotObjects` with Zipf popularity; after every `hotRequests` requests, `scanLength` of the others in
    /// order.
    case scan(hotObjects: Int, exponent: Double, hotRequests: Int, scanLength: Int)
    /// `hotShare` of the requests (from 0 to 1) go to the first `hotObjects` objects, evenly on both sides.
    case hotspot(hotObjects: Int, hotShare: Double)
    /// Zipf popularity that moves on by `shift` objects after every `period` requests.
    case shifting(exponent: Double, period: Int, shift: Int)
    /// The k-th newest object has probability proportional to `k^-exponent`; objects that are inserted are the newest.
    case latest(exponent: Double)
    /// Distances of reuse and popularity as in a model, which is fitted to a trace.
    case reuse(ReuseModel)
    /// The requests of several tenants, each with objects of its own. The objects of the specification are those of all.
    case tenants([TenantWorkload])

    /// The name of the generator in workload files.
    public var name: String {
        switch self {
        case .uniform: "uniform"
        case .zipf: "zipf"
        case .loop: "loop"
        case .scan: "scan"
        case .hotspot: "hotspot"
        case .shifting: "shifting"
        case .latest: "latest"
        case .reuse: "reuse"
        case .tenants: "tenants"
        }
    }

    /// What is wrong with the numbers, nil if nothing is.
    func fault(objects: Int) -> String? {
        func exponentFault(_ exponent: Double) -> String? {
            exponent.isFinite && exponent >= 0 && exponent <= 100 ? nil : "exponent must be from 0 to 100"
        }
        switch self {
        case .uniform, .loop: return nil
        case .zipf(let exponent), .latest(let exponent): return exponentFault(exponent)
        case .scan(let hotObjects, let exponent, let hotRequests, let scanLength):
            guard hotObjects >= 1, hotObjects < objects else { return "hot-objects must be from 1 to objects - 1" }
            guard hotRequests >= 1, scanLength >= 1 else { return "hot-requests and scan-length must be at least 1" }
            guard hotRequests < 1 << 40, scanLength < 1 << 40 else { return "hot-requests or scan-length is too large" }
            return exponentFault(exponent)
        case .hotspot(let hotObjects, let hotShare):
            guard hotObjects >= 1, hotObjects < objects else { return "hot-objects must be from 1 to objects - 1" }
            return (0...1).contains(hotShare) ? nil : "hot-share must be from 0 to 1"
        case .shifting(let exponent, let period, let shift):
            guard period >= 1, shift >= 1, shift <= objects else {
                return "period must be at least 1, and shift from 1 to objects"
            }
            return exponentFault(exponent)
        case .reuse(let model):
            return objects <= ReuseModel.objectsMax ? model.fault : "reuse may have \(ReuseModel.objectsMax) objects"
        case .tenants(let tenants): return TenantWorkload.fault(tenants, objects: objects)
        }
    }

    /// The whole pattern in words, which every number that matters is part of.
    var canonicalText: String {
        switch self {
        case .uniform, .loop: name
        case .zipf(let exponent): "zipf(exponent \(exponent))"
        case .scan(let hotObjects, let exponent, let hotRequests, let scanLength):
            "scan(hot objects \(hotObjects), exponent \(exponent), hot requests \(hotRequests), length \(scanLength))"
        case .hotspot(let hotObjects, let hotShare): "hotspot(hot objects \(hotObjects), hot share \(hotShare))"
        case .shifting(let exponent, let period, let shift):
            "shifting(exponent \(exponent), period \(period), shift \(shift))"
        case .latest(let exponent): "latest(exponent \(exponent))"
        case .reuse(let model): model.canonicalText
        case .tenants(let tenants): "tenants(" + tenants.map(\.canonicalText).joined(separator: "; ") + ")"
        }
    }

    /// What draws keys in this order for so many requests and objects; nil for tenants, of which each has its own.
    func generator(requests: Int, objects: Int, seed: UInt64) -> (any KeyGenerator)? {
        switch self {
        case .uniform: UniformGenerator(objects: objects, seed: seed)
        case .zipf(let exponent): ZipfGenerator(objects: objects, exponent: exponent, seed: seed)
        case .loop: LoopGenerator(objects: objects)
        case .scan(let hotObjects, let exponent, let hotRequests, let scanLength):
            ScanGenerator(
                objects: objects, hotObjects: hotObjects, exponent: exponent, hotRequests: hotRequests,
                scanLength: scanLength, seed: seed)
        case .hotspot(let hotObjects, let hotShare):
            HotspotGenerator(objects: objects, hotObjects: hotObjects, hotShare: hotShare, seed: seed)
        case .shifting(let exponent, let period, let shift):
            ShiftingGenerator(objects: objects, exponent: exponent, period: period, shift: shift, seed: seed)
        case .latest(let exponent): LatestGenerator(objects: objects, exponent: exponent, seed: seed)
        case .reuse(let model): ReuseGenerator(model, requests: requests, objects: objects, seed: seed)
        case .tenants: nil
        }
    }
}
