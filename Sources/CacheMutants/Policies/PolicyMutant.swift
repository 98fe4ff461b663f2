public import CacheConformance
import CacheCore

/// One defect that a FIFO can be given: the argument of the operator `policy`.
enum PolicyDefect: String, CaseIterable {
    case overfills, cutsWeights, admitsOversized, emptiesForOversized, hidesVictims, tellsTwice
    case tellsStaying, hitsGhosts, missesLast, losesHits, deniesEntry, claimsEntry
    case peeks, counts, ignoresRemove, removesNeighbour, driftsCount, driftsWeight
    case forgetsTwice, forgetsResident, keepsVictims, keepsRefused, rollsDice, followsSeed
    case exchangesNewest, evictsEarly, namesNewest, turnsWhenAsked, evictsNewest
}

extension PolicySubject {
    /// A FIFO without a defect, which passes every check of policies.
    public static var soundFIFO: PolicySubject { fifo(nil) }

    /// A FIFO with a defect or without, and a sound one as its twin.
    static func fifo(_ defect: PolicyDefect?) -> PolicySubject {
        let entry = PolicyEntry(unit: MutantFIFO<UnitSizes>.self, bytes: MutantFIFO<ByteSizes>.self)
        var parameters = ParameterValues(defaults: entry.descriptor.parameters)
        if let defect {
            do throws(AssayError) { try parameters.set("bug", defect.rawValue, of: entry.descriptor.name) } catch {
                preconditionFailure("\(error)")
            }
        }
        return PolicySubject(
            entry, parameters: parameters,
            twin: PolicyEntry(unit: PlainFIFO<UnitSizes>.self, bytes: PlainFIFO<ByteSizes>.self))
    }
}
