internal import CacheEngine
internal import Synchronization

// Removing what is stored, and striking out what would come after it.
extension HTTPStore {
    /// Removes what is stored of an address; returns whether there was anything.
    func remove(_ url: String) throws -> Bool {
        try requireOpen()
        return try alone(url) { requests in
            requests.overtake(url)
            let wasThere = try tiers.contains(url)
            try drop(url)
            return wasThere
        }
    }

    /// Removes every answer of a group, and lets none be stored that comes; returns all their addresses.
    func remove(group: String) throws -> [String] {
        try requireOpen()
        let coming = stripes.flatMap { $0.requests.withLock { $0.urls(inGroup: group) } }
        let urls = Set(index.keys(taggedWith: group) + coming).sorted()
        for url in urls { try change(url, overtakes: true) { $0.answers.removeAll { $0.groups.contains(group) } } }
        return urls
    }

    func urls(inGroup group: String) -> [String] { index.keys(taggedWith: group).sorted() }

    /// Removes everything in one step.
    func removeAll(from number: Int = 0) throws {
        try requireOpen()
        guard number < stripes.count else {
            index.removeAll()
            try tiers.removeAll()
            for number in try bodies?.numbers() ?? [] { bodies?.delete(number) }
            return
        }
        try stripes[number].requests.withLock { requests in
            requests.overtakeAll()
            try removeAll(from: number + 1)
        }
    }
}
