import CacheCore
import CachePolicies
import Testing

/// How many ghosts each policy says that its parameters ask for, against those that it keeps.
///
/// A live cache has so many ids and no more: if there were more ghosts, it would make the policy forget some.
struct GhostCountTests {
    private static let capacity = 64
    private static let objects = 6_000
    /// What shares that are rounded may have more.
    private static let roundings = 4

    @Test(arguments: BuiltinPolicies.all.filter { !$0.isBound && !$0.needsFuture && !$0.descriptor.isUnbounded })
    func `no policy keeps more ghosts than its parameters ask for`(_ entry: PolicyEntry) throws {
        for setting in settings(of: entry.descriptor) {
            let parameters = try ParameterValues(
                parsing: setting, for: entry.descriptor.parameters, of: entry.descriptor.name)
            if entry.descriptor.deviations(with: parameters).contains(.hasUnboundedGhosts) { continue }
            let stated = try #require(
                entry.descriptor.memory(with: parameters), "MemoryCostTests prints the line to add"
            ).ghosts
            // Some values do not go together with the defaults of others.
            guard let driven = try? Self.open(entry, parameters) else { continue }
            let most = Self.mostHeld(driven)
            #expect(
                most <= limit(stated),
                "\(entry.descriptor.name):\(setting) keeps \(most) objects and ghosts: state ghosts: \(Self.ghosts(most))"
            )
        }
    }

    /// Where the capacity is full of ghosts, the share that is asked for is kept: nothing is stated that is not used.
    @Test(arguments: [
        ("s3fifo", "ghost=4"), ("clock2q-plus", "ghost=4"), ("qdlp", "ghost=4"), ("2q", "out=4"), ("mq", "ghost=8"),
        ("lru-k", "history=4"), ("lirs", "non-resident=6"), ("lirs2", "non-resident=4"),
        ("clock-pro", "ghost=4"), ("clock-pro-plus", "ghost=4"), ("lecar", "history=2"), ("dclock", "active=1"),
    ])
    func `a policy that is asked for more ghosts keeps more`(_ name: String, _ setting: String) throws {
        let entry = try #require(BuiltinPolicies.all.first { $0.descriptor.name == name })
        let parameters = try ParameterValues(parsing: setting, for: entry.descriptor.parameters, of: name)
        let defaults = ParameterValues(defaults: entry.descriptor.parameters)
        let (asked, usual) = (entry.descriptor.memory(with: parameters), entry.descriptor.memory(with: defaults))
        #expect(usual == entry.descriptor.memory)
        let most = try Self.mostHeld(Self.open(entry, parameters))
        #expect(try most > limit(#require(usual).ghosts), "the default's statement would not be enough")
        #expect(try most <= limit(#require(asked).ghosts))
    }

    /// How many ghosts for each resident a policy keeps at its defaults.
    static func ghosts(of entry: PolicyEntry) throws -> Double {
        ghosts(mostHeld(try open(entry, ParameterValues(defaults: entry.descriptor.parameters))))
    }

    private static func ghosts(_ held: Int) -> Double {
        held <= capacity + roundings ? 0 : (Double(held - capacity) / Double(capacity) * 100).rounded(.up) / 100
    }

    private func limit(_ ghosts: Double) -> Int {
        Self.capacity + Int((Double(Self.capacity) * ghosts).rounded(.up)) + Self.roundings
    }

    /// Each parameter by itself at a few of its values, and every word.
    private func settings(of descriptor: PolicyDescriptor) -> [String] {
        [""]
            + descriptor.parameters.flatMap { parameter -> [String] in
                let values: [String] =
                    switch parameter.kind {
                    case .integer(_, let range): [range.lowerBound, min(range.upperBound, 100)].map(String.init)
                    case .number(_, let range):
                        [range.lowerBound, (range.lowerBound + min(range.upperBound, 4)) / 2, min(range.upperBound, 8)]
                            .map { "\($0)" }
                    case .choice(_, let words): words
                    case .text, .flag: []
                    }
                return values.map { "\(parameter.name)=\($0)" }
            }
    }

    private static func open(_ entry: PolicyEntry, _ parameters: ParameterValues) throws -> AnyEvictionPolicy {
        try entry.open(
            PolicyConfiguration(
                capacity: .objects(capacity), objects: ObjectSpace(count: objects), parameters: parameters))
    }

    /// The most residents and ghosts together, over requests of which some are for new objects, some for old ones and some for
    /// those of a while ago.
    private static func mostHeld(_ driven: AnyEvictionPolicy) -> Int {
        var held = Set<ObjectID>()
        var (most, fresh) = (0, 0)
        var victims = VictimList()
        var generator = SeededGenerator(seed: 1)
        for index in 0..<2 * objects where fresh < objects {
            var id = fresh
            switch generator.next(below: 8) {
            case 0...1: id = generator.next(below: capacity / 2)
            case 2 where fresh > 0: id = max(0, fresh - 1 - generator.next(below: 3 * capacity))
            default: fresh += 1
            }
            let request = Request(id: ObjectID(id), size: 1, index: index)
            guard !driven.touch(request) else { continue }
            if driven.insert(request, evicting: &victims) || !victims.forgotten.contains(request.id) {
                held.insert(request.id)
            }
            held.subtract(victims.forgotten)
            victims.clear()
            most = max(most, held.count)
        }
        return most
    }
}
