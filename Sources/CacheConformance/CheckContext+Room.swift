import CacheCore

extension CheckContext {
    /// What to open a cache with for so much room, and how much there is then.
    ///
    /// A subject whose room cannot be adjusted has what it has; blocked where that is too much to fill in a check.
    func room(_ unit: Capacity.Unit, _ amount: Int) throws(CheckStop) -> (setup: CacheSetup, amount: Int) {
        guard let room = claims.room else { throw .blocked("no room is claimed") }
        guard !room.isAdjustable || room.units.contains(unit) else { throw .blocked("there is no room in \(unit)") }
        if room.isAdjustable { return (CacheSetup(capacity: Capacity(amount, unit)), amount) }
        guard room.capacity.unit == unit, room.capacity.amount <= 1_000 else {
            throw .blocked("the capacity is \(room.capacity) and cannot be adjusted")
        }
        return (CacheSetup(), room.capacity.amount)
    }

    /// What brings entries up from below memory, each as far as it is claimed.
    var upFromBelow: [CacheOperation] {
        claimed(if: .tiers, .dropMemory) + (claims.durability >= .exit ? [.reopen] : [])
    }

    /// How many entries there is room for, up to `wanted`; fewer where a part of the cache may be full before all is.
    func most(_ wanted: Int) throws(CheckStop) -> Int {
        guard let room = claims.room else { return wanted }
        let entries = room.capacity.unit == .objects ? room.capacity.amount : room.capacity.amount / 1_000
        let most = min(wanted, room.safeAmount(of: entries))
        guard most > 0 else { throw .blocked("there is room for no entry") }
        return most
    }

    /// Runs twenty random programs with every feature, in a room for six of their 24 keys where it can be adjusted so.
    func verifyTightPrograms(endingWith last: [CacheOperation] = []) throws(CheckStop) {
        var generator = ProgramGenerator(
            claims: claims, keys: (0..<24).map { Array("k\($0)".utf8) }, random: self.generator)
        let isAdjustable = claims.room.map { $0.isAdjustable && $0.units.contains(.objects) } == true
        let setup = isAdjustable ? try room(.objects, 6).setup : CacheSetup()
        for _ in 0..<rounds(20) {
            var program = generator.program(operations: 200, features: true)
            program.setup = setup
            program.operations += last
            try verify(program)
        }
    }

    /// How many answers from an operation on show something stored.
    func hits(of program: Program, from first: Int, steps: [String]) throws(CheckStop) -> Int {
        try withInstance(program.setup, steps: steps) { (instance) throws(CheckStop) in
            program.operations.map { instance.perform($0) }[first...].count { $0.isHit }
        }
    }
}
