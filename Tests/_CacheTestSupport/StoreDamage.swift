public import CacheCore
import Foundation

/// Damages the files of a small closed store in every way of a kind and looks at what it answers then.
///
/// Each value must be whole, absent or a typed `corrupt` error: never other bytes, never what was overwritten, never what
/// was removed.
public struct StoreDamage {
    /// What a file is done to.
    public enum Kind: Sendable, CaseIterable {
        /// Cut at each length.
        case cut
        /// Each byte changed in one bit, which moves from byte to byte.
        case flip
    }

    /// What was seen.
    public struct Outcome: Sendable {
        /// Answers that are wrong, the first few.
        public var problems: [String] = []
        /// The number of damaged stores.
        public var tries = 0
        /// Whole, absent and refused entries, and refused openings.
        public var whole = 0, absent = 0, corrupt = 0, unopened = 0
    }

    private let open: (String) throws -> any StorageBackend
    private let isDamaged: (_ file: String) -> Bool
    private let openingCodes: Set<StoreError.Code>
    private let stride: Int

    /// Damage to the files of stores that `open` opens in a directory.
    ///
    /// - Parameters:
    ///   - openingCodes: what opening may throw.
    ///   - stride: the step from byte to byte.
    ///   - isDamaged: which files, by path; all unless given.
    public init(
        openingCodes: Set<StoreError.Code> = [.corrupt], stride: Int = 1,
        isDamaged: @escaping (_ file: String) -> Bool = { _ in true },
        open: @escaping (_ directory: String) throws -> any StorageBackend
    ) {
        self.openingCodes = openingCodes
        self.stride = stride
        self.isDamaged = isDamaged
        self.open = open
    }

    private static let removed = Array("removed".utf8)
    private static let entries: [[UInt8]: StoredEntry] = [
        Array("plain".utf8): StoredEntry([UInt8](1...60)),
        Array("empty".utf8): StoredEntry([]),
        Array("overwritten".utf8): StoredEntry([UInt8](repeating: 0xA5, count: 90)),
        Array("expiring".utf8): StoredEntry(Array("value".utf8), expiresAtNanoseconds: 77),
        [0]: StoredEntry([UInt8](repeating: 0, count: 33)),
    ]

    /// Tries every damage of a kind.
    public func run(_ kind: Kind) throws -> Outcome {
        let directory = try TemporaryDirectory()
        try fill(directory.path)
        let files = try directory.files().map { ($0, try Data(contentsOf: URL(filePath: $0))) }
        var outcome = Outcome()
        for (file, data) in files where isDamaged(file) {
            // Long runs of zeros, such as what a file has in reserve, are tried at every 64th byte.
            for position in Swift.stride(from: 0, to: data.count, by: stride) {
                let block = data[position / 64 * 64..<min(data.count, position / 64 * 64 + 64)]
                guard position % 64 == 0 || block.contains(where: { $0 != 0 }) else { continue }
                try restore(files, in: directory)
                var damaged = data
                if kind == .cut {
                    damaged = data.prefix(position)
                } else {
                    damaged[position] ^= 1 << UInt8(position % 8)
                }
                try write(damaged, to: file)
                let name = file.dropFirst(directory.path.count + 1)
                look(directory.path, "\(kind) at \(position) of \(name)", &outcome)
                if outcome.problems.count > 5 { return outcome }
            }
        }
        return outcome
    }

    /// A store with entries of several kinds, one of them overwritten and one removed.
    private func fill(_ path: String) throws {
        var store = try open(path)
        try store.put(StoredEntry([UInt8](repeating: 0x77, count: 80)), for: Array("overwritten".utf8))
        try store.put(StoredEntry([UInt8](repeating: 0x66, count: 40)), for: Self.removed)
        for (key, entry) in Self.entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            try store.put(entry, for: key)
        }
        _ = try store.remove(Self.removed)
        try store.close()
        // Opened once more, so that every file that an opening writes is there.
        store = try open(path)
        try store.close()
    }

    private func restore(_ files: [(String, Data)], in directory: TemporaryDirectory) throws {
        let known = Set(files.map(\.0))
        for file in directory.files() where !known.contains(file) { try FileManager.default.removeItem(atPath: file) }
        for (file, data) in files { try write(data, to: file) }
    }

    /// Writes a file without waiting for the device, as `Data` would.
    private func write(_ data: Data, to file: String) throws {
        let path = FileSystem.characters(file)
        guard let descriptor = try FileSystem.create(path) else { return }
        defer { FileSystem.closeFile(descriptor) }
        try FileSystem.write(descriptor, [UInt8](data), [], path: path)
    }

    private func look(_ path: String, _ damage: String, _ outcome: inout Outcome) {
        outcome.tries += 1
        let store: any StorageBackend
        do { store = try open(path) } catch {
            let code = (error as? StoreError)?.code
            if code.map(openingCodes.contains) != true { outcome.problems.append("\(damage): opening throws \(error)") }
            outcome.unopened += 1
            return
        }
        for (key, entry) in Self.entries {
            do throws(StoreError) {
                switch try store.get(key) {
                case entry: outcome.whole += 1
                case nil: outcome.absent += 1
                case let other?:
                    outcome.problems.append("\(damage): \(String(decoding: key, as: UTF8.self)) is \(other.value)")
                }
            } catch {
                outcome.corrupt += 1
                if error.code != .corrupt { outcome.problems.append("\(damage): get throws \(error)") }
            }
        }
        if let ghost = try? store.get(Self.removed) {
            outcome.problems.append("\(damage): what was removed is back as \(ghost.value)")
        }
        try? store.close()
    }
}
