import CacheCore
import Testing

/// Serves objects named by letters and writes down what happened: `a` a miss, `a!` a hit, `d>b` a miss that evicted b.
func outcomes(_ policy: String, capacity: Int, _ letters: String) throws -> String {
    let first = try #require(letters.unicodeScalars.min()).value
    let trace = TestTrace(ids: letters.unicodeScalars.map { $0.value - first })
    let opened = try PolicyCall(policy).open(.objects(capacity), ObjectSpace(count: trace.objectCount))
    func letter(_ id: ObjectID) -> String { String(UnicodeScalar(id + first).map(Character.init) ?? "?") }
    return trace.requests.map { request in
        if opened.touch(request) { return letter(request.id) + "!" }
        var victims = VictimList()
        _ = opened.insert(request, evicting: &victims)
        let left = victims.evicted.map(letter).joined()
        return left.isEmpty ? letter(request.id) : "\(letter(request.id))>\(left)"
    }.joined(separator: " ")
}
