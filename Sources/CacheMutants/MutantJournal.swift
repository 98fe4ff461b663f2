import CacheConformance
import CacheCore
import CacheReference
import Foundation
import Synchronization

/// The journal of the reference with one defect: of what is written, of what is done about a failure, or of what is read.
final class MutantJournal: ReferenceJournal, @unchecked Sendable {
    private let mutation: Mutation
    private var heldBack: [Record] = []
    private var isDead = false
    private var losesMoments = false
    /// Keys of records that do not check.
    private(set) var damaged: Set<[UInt8]> = []
    private var kind: String { mutation.operator == .journal ? mutation.argument : "" }

    init(_ mutation: Mutation, directory: String, format: Int, isDurable: Bool) {
        self.mutation = mutation
        let isSynchronised = !(mutation.operator == .journal && mutation.argument == "noSync")
        super.init(directory: directory, format: format, isDurable: isDurable && isSynchronised)
    }

    // MARK: Writing

    override func write(_ changes: [Record], of operation: CacheOperation, isEnd: Bool) -> Bool {
        if isDead || kind == "diesIfGone" && isGone { return changes.isEmpty }
        let isMeant = mutation.concerns(operation)
        var changes = heldBack + changes
        heldBack = []
        switch kind {
        case "holdsBack" where isMeant && !isEnd:
            heldBack = changes
            return true
        case "holdsBackRemovals" where !isEnd && changes.allSatisfy({ $0.entry == nil }):
            heldBack = changes
            return true
        case "forgets" where isMeant: changes = []
        case "forgetsRemovals" where isMeant: changes.removeAll { $0.entry == nil }
        case "loses" where isMeant: changes = changes.map(bent)
        case "tears":
            for change in changes where change.entry?.stored.value.count ?? 0 > 48 {
                var half = change
                half.entry!.stored.value.removeLast(24)
                _ = super.write([half], of: operation, isEnd: isEnd)
                usleep(500)
            }
        case "unfinished" where changes.contains { $0.entry?.stored.value.count ?? 0 > 100_000 }:
            let path = directory + "/unfinished-\(getpid())"
            let new = openFile(path, O_RDWR | O_CREAT | O_TRUNC)
            let bytes = changes.reduce(into: []) { $0 += encoded($1) }
            _ = bytes.withUnsafeBytes { Foundation.write(new, $0.baseAddress, $0.count) }
            close(new)
            defer { unlink(path) }
            return super.write(changes, of: operation, isEnd: isEnd)
        default: break
        }
        if losesMoments { changes = changes.map(withoutMoment) }
        if super.write(changes, of: operation, isEnd: isEnd) { return true }
        switch kind {
        case "forgetsFailure": return true
        case "dies": isDead = true
        case "losesMoment":
            losesMoments = true
            return super.write(changes.map(withoutMoment), of: operation, isEnd: isEnd)
        default: break
        }
        return false
    }

    override func synchroniseFile() -> Bool { super.synchroniseFile() || kind == "forgetsSync" }

    override func startAnewIfGone() -> Bool { kind != "diesIfGone" && super.startAnewIfGone() }

    override func end() { if kind != "staysOpen" || file < 0 { super.end() } else { flock(file, LOCK_UN) } }

    private func withoutMoment(_ record: Record) -> Record {
        var record = record
        record.entry?.stored.expiresAtNanoseconds = nil
        return record
    }

    /// A record that has lost a facet on its way to the disk.
    private func bent(_ record: Record) -> Record {
        var record = record
        guard record.entry != nil else { return record }
        for facet in mutation.arguments.compactMap(Facet.init) { facet.reset(&record.entry!) }
        return record
    }

    // MARK: Reading

    override func bytesOfFile() throws(StoreError) -> [UInt8] {
        do { return try super.bytesOfFile() } catch {
            guard kind == "readsNothing" else { throw error }
            return []
        }
    }

    override func takesUnknown(_ version: Int) -> Bool {
        if kind == "emptiesUnknown" { ftruncate(file, 0) }
        return kind == "opensUnknown" || kind == "emptiesUnknown" && format == 1
    }

    override func cutOff(to end: Int, of count: Int) {
        if kind == "tornEmpties", end < count { records = [] }
        if kind != "tornStays" { super.cutOff(to: end, of: count) }
    }

    override func goesOn(after record: Record?) -> Bool {
        guard let record else { return false }
        switch kind {
        case "checksNothing": records.append(record)
        case "stuckAfterDamage": damaged.insert(record.id.key)
        default: return false
        }
        return true
    }

    override var isLong: Bool {
        switch kind {
        case "grows": false
        case "compactsBadly": records.count > 6
        default: super.isLong
        }
    }

    override func rewrite(isUpgrade: Bool) throws(StoreError) {
        let isInPlace = kind == "compactsBadly" || kind == "upgradesBadly" && isUpgrade && !records.isEmpty
        guard isInPlace else { return try super.rewrite(isUpgrade: isUpgrade) }
        // The file is written anew in its place: a crash in the middle loses it.
        ftruncate(file, 0)
        byteCount = 0
        _ = append(begin())
        usleep(20_000)
        _ = append(records.reduce(into: []) { $0 += encoded($1) })
    }

    override func live(isUpgrade: Bool) -> [Record] {
        let all = records
        switch kind {
        case "keepsFirst":
            var first: Set<EntryID> = []
            return all.filter { $0.entry != nil && first.insert($0.id).inserted }
        case "revives":
            let last = Dictionary(
                all.enumerated().filter { $1.entry != nil }.map { ($1.id, $0) }, uniquingKeysWith: { $1 })
            return all.enumerated().filter { last[$1.id] == $0 }.map(\.element)
        default: break
        }
        var live = super.live(isUpgrade: isUpgrade)
        guard kind == "compactionLoses" || kind == "upgradeLoses" && isUpgrade else { return live }
        for index in live.indices {
            if mutation.arguments.contains("restart") { live[index].entry!.deadline = live[index].entry!.writtenAt }
            for facet in mutation.arguments.compactMap(Facet.init) { facet.reset(&live[index].entry!) }
        }
        if isUpgrade { records = live }
        return live
    }
}
