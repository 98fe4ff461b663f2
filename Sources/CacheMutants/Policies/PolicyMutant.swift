public import CacheConformance
import CacheCore

/// One defect that a FIFO can be given: what the policy suite must notice.
public enum PolicyMutant: String, CaseIterable, Sendable, Hashable {
    case overfills = "lets one object more in than fits"
    case cutsWeights = "weighs with 32 bits"
    case admitsOversized = "lets an object in that is larger than the cache"
    case emptiesForOversized = "makes room for an object that is larger than the cache"
    case hidesVictims = "does not tell what it evicts"
    case tellsTwice = "tells a victim twice"
    case tellsStaying = "tells the newest as its victim"
    case hitsGhosts = "answers a hit for an object that it evicted last"
    case missesLast = "answers a miss for the newest object"
    case losesHits = "drops an object that is hit"
    case deniesEntry = "says of every eighth object that it did not enter"
    case claimsEntry = "says of an object that it refused that it entered"
    case peeks = "changes its state in contains"
    case counts = "takes a lookup for a use"
    case ignoresRemove = "keeps what is removed"
    case removesNeighbour = "removes the next object too"
    case driftsCount = "does not count down what is removed"
    case driftsWeight = "weighs a victim by the newcomer"
    case forgetsTwice = "tells a forgotten id twice"
    case forgetsResident = "tells forgotten what it keeps"
    case keepsVictims = "holds every victim for ever"
    case keepsRefused = "holds every object that is larger than the cache for ever"
    case rollsDice = "evicts by random numbers of the system's"
    case followsSeed = "evicts by its seed and says that it does not"
    case exchangesNewest = "evicts the newest in blocks of requests"
    case evictsEarly = "evicts without need"
    case namesNewest = "names the newest as its next victim"
    case turnsWhenAsked = "lets another object be the oldest when it is asked for its next victim"
    case evictsNewest = "is another rule than its twin"

    /// The check that must notice it.
    public var killer: String {
        switch self {
        case .overfills, .cutsWeights: "PLC-1"
        case .admitsOversized, .emptiesForOversized: "PLC-2"
        case .hidesVictims, .tellsTwice, .tellsStaying: "PLC-3"
        case .hitsGhosts, .missesLast, .losesHits: "PLC-4"
        case .deniesEntry, .claimsEntry: "PLC-5"
        case .peeks, .counts: "PLC-6"
        case .ignoresRemove, .removesNeighbour: "PLC-7"
        case .driftsCount, .driftsWeight: "PLC-8"
        case .forgetsTwice, .forgetsResident: "PLC-9"
        case .keepsVictims, .keepsRefused: "PLC-10"
        case .rollsDice: "PLC-11"
        case .followsSeed: "PLC-12"
        case .exchangesNewest: "PLC-13"
        case .evictsEarly: "PLC-14"
        case .namesNewest, .turnsWhenAsked: "PLC-15"
        case .evictsNewest: "PLC-16"
        }
    }

    /// The FIFO with this defect, with a sound one as its twin.
    public var subject: PolicySubject { Self.subject(self) }

    /// The FIFO without a defect, which passes every check.
    public static var control: PolicySubject { subject(nil) }

    private static func subject(_ bug: PolicyMutant?) -> PolicySubject {
        let entry = PolicyEntry(unit: MutantFIFO<UnitSizes>.self, bytes: MutantFIFO<ByteSizes>.self)
        var parameters = ParameterValues(defaults: entry.descriptor.parameters)
        if let bug {
            do throws(AssayError) { try parameters.set("bug", "\(bug)", of: entry.descriptor.name) } catch {
                preconditionFailure("\(error)")
            }
        }
        return PolicySubject(
            entry, parameters: parameters,
            twin: PolicyEntry(unit: PlainFIFO<UnitSizes>.self, bytes: PlainFIFO<ByteSizes>.self))
    }
}
