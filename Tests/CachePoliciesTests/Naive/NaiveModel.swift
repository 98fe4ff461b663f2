import CacheCore

/// A policy written down from its definition over plain arrays: slow, obvious, and built unlike the real one.
protocol NaiveModel: AnyObject {
    /// The capacity in the unit of the weights.
    init(capacity: Int, parameters: ParameterValues)
    /// Serves one request: hit or miss, and the objects that left, in order.
    func access(_ request: NaiveRequest) -> NaiveStep
    /// Forgets an object.
    func remove(_ id: ObjectID)
    /// The resident objects.
    var residents: [ObjectID] { get }
    /// The ghosts.
    var ghosts: [ObjectID] { get }
}

/// A model that must know more than the capacity and the parameters.
protocol NaiveConfiguredModel: NaiveModel {
    init(_ configuration: PolicyConfiguration)
}

extension NaiveConfiguredModel {
    init(capacity: Int, parameters: ParameterValues) { fatalError("this model needs the whole configuration") }
}

/// A request with what it weighs.
struct NaiveRequest {
    var id: ObjectID
    var weight: Int
    var next: Int
    var cost = 1.0
}

/// What a request did.
struct NaiveStep: Equatable {
    var hit: Bool
    var evicted: [ObjectID] = []
}

/// Objects in order, oldest first.
struct NaiveQueue {
    var items: [(id: ObjectID, weight: Int)] = []
    var ids: [ObjectID] { items.map(\.id) }
    var weight: Int { items.reduce(0) { $0 + $1.weight } }
    var isEmpty: Bool { items.isEmpty }

    func contains(_ id: ObjectID) -> Bool { items.contains { $0.id == id } }

    mutating func append(_ id: ObjectID, _ weight: Int) { items.append((id, weight)) }

    mutating func takeOldest() -> (id: ObjectID, weight: Int) { items.removeFirst() }

    /// Takes an object out and returns its weight, nil if it was not there.
    @discardableResult
    mutating func take(_ id: ObjectID) -> Int? {
        guard let index = items.firstIndex(where: { $0.id == id }) else { return nil }
        return items.remove(at: index).weight
    }

    mutating func refresh(_ id: ObjectID) {
        if let weight = take(id) { append(id, weight) }
    }
}

/// The whole part of a share of the capacity.
func naiveShare(_ capacity: Int, _ parameters: ParameterValues, _ name: String) -> Int {
    Int(Double(capacity) * parameters.number(name))
}
