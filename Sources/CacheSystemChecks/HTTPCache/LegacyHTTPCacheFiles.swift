internal import CacheSystems
internal import Foundation

/// The index and the files of AFCache 0.13 as it was shipped.
///
/// The index is in memory and written when the cache is closed (in the original 30 s after a change): whoever is killed before has
/// files that nobody knows. Files have random names, or those of their addresses without scheme and port.
struct LegacyHTTPCacheFiles {
    /// What is known of a resource.
    struct Entry: Codable {
        var status = 200
        var fields: HTTPFields
        var requestNanoseconds: Int64
        var responseNanoseconds: Int64
        var file: String
        var userData: [UInt8]?
    }

    private struct Index: Codable {
        var entries: [String: Entry] = [:]
        var redirects: [String: Entry] = [:]
    }

    private let directory: String
    private let namesByURL: Bool
    private var index = Index()
    /// Which package an entry came from: not in the archive of the index.
    var groups: [String: String] = [:]

    init(_ directory: String, namesByURL: Bool) {
        self.directory = directory
        self.namesByURL = namesByURL
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        if let data = try? Data(contentsOf: URL(filePath: directory + "/index")),
            let index = try? JSONDecoder().decode(Index.self, from: data)
        {
            self.index = index
        }
    }

    func save() throws { try JSONEncoder().encode(index).write(to: URL(filePath: directory + "/index")) }

    var urls: [String] { Array(index.entries.keys) }
    func redirect(_ url: String) -> Entry? { index.redirects[url] }

    /// An entry with its content. An empty file counts as one that was not finished.
    func find(_ url: String) -> (entry: Entry, body: [UInt8])? {
        guard let entry = index.entries[url], let body = try? Data(contentsOf: URL(filePath: entry.file)), !body.isEmpty
        else { return nil }
        return (entry, Array(body))
    }

    mutating func put(_ entry: Entry, _ body: [UInt8], _ url: String) {
        var entry = entry
        entry.file = namesByURL ? path(url) : index.entries[url]?.file ?? "\(directory)/\(UUID().uuidString)"
        let folder = URL(filePath: entry.file).deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard (try? Data(body).write(to: URL(filePath: entry.file))) != nil else { return }
        index.entries[url] = entry
    }

    mutating func putRedirect(_ entry: Entry, _ url: String) { index.redirects[url] = entry }

    mutating func setUserData(_ data: [UInt8]?, _ url: String) { index.entries[url]?.userData = data }

    mutating func remove(_ url: String) {
        guard let entry = index.entries.removeValue(forKey: url) else { return }
        try? FileManager.default.removeItem(atPath: entry.file)
    }

    private func path(_ url: String) -> String {
        let rest = url.components(separatedBy: "://").last ?? ""
        let host = rest.prefix { $0 != "/" && $0 != ":" }
        let path = rest.drop { $0 != "/" }
        return "\(directory)/\(host)\(path)"
    }
}
