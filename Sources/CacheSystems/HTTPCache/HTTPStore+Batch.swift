internal import CacheCore
internal import CacheEngine
internal import Synchronization

// Storing several answers at once.
extension HTTPStore {
    /// An answer that is to be stored with others: its body is beside it, or in a file that has not got its name yet.
    struct Part: Sendable {
        let url: String
        let request: HTTPFields
        let answer: StoredAnswer
    }

    /// What an address has, and what it is to have.
    private struct Change: Sendable {
        let url: String
        let old: StoredResource?
        var new: StoredResource

        /// The files that are new to it.
        var added: Set<UInt64> { new.files.subtracting(old?.files ?? []) }
        var removed: Set<UInt64> { (old?.files ?? []).subtracting(new.files) }
    }

    /// Stores all parts or none, in one step for those who read; requests under way go on, and are stored after it. Returns what became of
    /// each part. The files of parts that are not stored are the caller's to delete.
    func publish(
        _ parts: [Part], keeping isKept: @Sendable (_ old: StoredAnswer, _ new: StoredAnswer) -> Bool
    ) throws -> [HTTPBatch.Fate] {
        defer { drain() }
        return try withAllStripes {
            try requireOpen()
            let (changes, planned) = try plan(parts, isKept)
            var fates = planned
            try write(changes)
            for change in changes {
                // A cache that is being closed lets nothing leave any more.
                switch index.put(change.new.weight, for: change.url, tags: change.new.groups) {
                case .stored, .replaced, .refused(.closed): break
                // What cannot be dropped stays: the batch is stored, and nothing after that may undo a part of it.
                case .refused: try? drop(change.url, change.new)
                }
                for number in change.removed { bodies?.delete(number) }
            }
            // One that another of the batch took the place of is not there either.
            let numbers = Set(changes.flatMap { $0.new.answers.map(\.number) })
            for (place, part) in parts.enumerated() where fates[place] == .stored {
                if !numbers.contains(part.answer.number) || !index.contains(part.url) { fates[place] = .displaced }
            }
            return fates
        }
    }

    private func plan(
        _ parts: [Part], _ isKept: (StoredAnswer, StoredAnswer) -> Bool
    ) throws -> ([Change], [HTTPBatch.Fate]) {
        var changes: [Change] = []
        var places: [String: Int] = [:]
        var fates: [HTTPBatch.Fate] = []
        for part in parts {
            let place = places[part.url]
            let old = try place == nil ? undamaged(part.url) : changes[place!].old
            var resource = place.map { changes[$0].new } ?? old ?? StoredResource()
            let isStored = { (answer: StoredAnswer) in old?.answers.contains { $0.number == answer.number } ?? false }
            let rival = HTTPVary.select(resource.answers, for: part.request)
            // The bodies of the batch have no names yet.
            if let rival, isKept(rival, part.answer), !isStored(rival) || hasBody(rival) {
                fates.append(.kept)
                continue
            }
            resource.put(part.answer, to: part.request, answersMax: answersMax)
            fates.append(.stored)
            if let place {
                changes[place].new = resource
            } else {
                places[part.url] = changes.count
                changes.append(Change(url: part.url, old: old, new: resource))
            }
        }
        return (changes, fates)
    }

    private func hasBody(_ answer: StoredAnswer) -> Bool {
        guard case .file(let length) = answer.body else { return true }
        return ((try? bodies?.open(answer.number, length: length) {}) ?? nil) != nil
    }

    /// Gives the files their names and writes the records, or puts back what was there.
    private func write(_ changes: [Change]) throws {
        var begun = 0
        do {
            for change in changes {
                for number in change.added { try bodies?.publish(number) }
                begun += 1
                try tiers.put(change.new, for: change.url)
            }
        } catch {
            for change in changes[..<begun].reversed() {
                do {
                    if let old = change.old { try tiers.put(old, for: change.url) } else { try drop(change.url) }
                } catch {
                    // What names bodies that are about to go must not stay.
                    try? drop(change.url)
                }
            }
            throw error
        }
    }

    private func withAllStripes<Result: Sendable>(from number: Int = 0, _ body: () throws -> Result) throws -> Result {
        guard number < stripes.count else { return try body() }
        return try stripes[number].requests.withLock { _ in try withAllStripes(from: number + 1, body) }
    }
}
