import CacheCore
import Testing

/// Serves objects named by letters and writes down what happened: `a` a miss, `a!` a hit, `d>b` a miss that evicted b.
///
/// With sizes, one a letter from the first on, the capacity is in bytes; costs likewise.
func outcomes(
    _ policy: String, capacity: Int, _ letters: String, sizes: [UInt32]? = nil, costs: [Double]? = nil
) throws -> String {
    let first = try #require(letters.unicodeScalars.min()).value
    let ids = letters.unicodeScalars.map { $0.value - first }
    let trace = TestTrace(
        ids: ids, sizes: sizes.map { sizes in ids.map { sizes[Int($0)] } },
        costs: costs.map { costs in ids.map { costs[Int($0)] } })
    let opened = try PolicyCall(policy).open(
        Capacity(capacity, sizes == nil ? .objects : .bytes),
        ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize))
    func letter(_ id: ObjectID) -> String { String(UnicodeScalar(id + first).map(Character.init) ?? "?") }
    return trace.requests.map { request in
        if opened.touch(request) { return letter(request.id) + "!" }
        var victims = VictimList()
        _ = opened.insert(request, evicting: &victims)
        let left = victims.evicted.map(letter).joined()
        return left.isEmpty ? letter(request.id) : "\(letter(request.id))>\(left)"
    }.joined(separator: " ")
}
