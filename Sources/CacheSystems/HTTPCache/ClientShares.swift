/// Room of which no client has more than half, rounded up. Whoever is not known has no limit of its own.
package struct ClientShares: Sendable {
    private let most: Int
    private var taken = 0
    private var takenByClient: [String: Int] = [:]

    /// So much room in all.
    package init(_ most: Int) { self.most = max(0, most) }

    /// Whether a client may have so much more.
    package func hasRoom(_ amount: Int = 1, for client: String?) -> Bool {
        guard amount <= most - taken else { return false }
        return client.map { amount <= most - most / 2 - takenByClient[$0, default: 0] } ?? true
    }

    /// Takes so much for a client; returns whether there was room.
    package mutating func take(_ amount: Int = 1, for client: String?) -> Bool {
        guard hasRoom(amount, for: client) else { return false }
        taken += amount
        if let client { takenByClient[client, default: 0] += amount }
        return true
    }

    /// Gives back what was taken for a client.
    package mutating func give(_ amount: Int = 1, of client: String?) {
        taken -= amount
        guard let client, let left = takenByClient[client].map({ $0 - amount }) else { return }
        takenByClient[client] = left > 0 ? left : nil
    }
}
