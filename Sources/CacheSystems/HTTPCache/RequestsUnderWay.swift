/// The requests under way for some of the addresses, with the groups under which their answers will be stored.
///
/// What changes an address strikes out the requests that began before: their answers may be of the time before it.
struct RequestsUnderWay: Sendable {
    private var entered: [String: [Int: [String]]] = [:]
    /// How often requests were overtaken: one that began before is not to be shared with one that begins now.
    private(set) var epoch = 0

    mutating func enter(_ number: Int, _ url: String, groups: [String]) { entered[url, default: [:]][number] = groups }

    func contains(_ number: Int, _ url: String) -> Bool { entered[url]?[number] != nil }

    /// Takes a request out; returns whether it was there still.
    mutating func strike(_ number: Int, _ url: String) -> Bool {
        guard entered[url]?.removeValue(forKey: number) != nil else { return false }
        if entered[url]?.isEmpty == true { entered[url] = nil }
        return true
    }

    /// Strikes out all of an address.
    mutating func overtake(_ url: String) {
        entered[url] = nil
        epoch += 1
    }

    /// Strikes out all.
    mutating func overtakeAll() {
        entered = [:]
        epoch += 1
    }

    /// The addresses of requests whose answers will be stored under a group. O(requests).
    func urls(inGroup group: String) -> [String] {
        entered.filter { $0.value.values.contains { $0.contains(group) } }.map(\.key)
    }
}
