import CacheCore

extension CheckContext {
    /// What to open a cache with for so much room, and how much there is then.
    ///
    /// A subject whose room cannot be adjusted has what it has; blocked where that is too much to fill in a check.
    func room(_ unit: Capacity.Unit, _ amount: Int) throws(CheckStop) -> (setup: CacheSetup, amount: Int) {
        guard let room = claims.room else { throw .blocked("no room is claimed") }
        if room.isAdjustable { return (CacheSetup(capacity: Capacity(amount, unit)), amount) }
        guard room.capacity.unit == unit, room.capacity.amount <= 1_000 else {
            throw .blocked("the capacity is \(room.capacity) and cannot be adjusted")
        }
        return (CacheSetup(), room.capacity.amount)
    }

    /// How many answers from an operation on show something stored.
    func hits(of program: Program, from first: Int, steps: [String]) throws(CheckStop) -> Int {
        try withInstance(program.setup, steps: steps) { (instance) throws(CheckStop) in
            program.operations.map { instance.perform($0) }[first...].count { $0.isHit }
        }
    }
}
