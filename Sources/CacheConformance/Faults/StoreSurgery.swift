import CacheCore

/// The files of a closed store, and ways to damage them.
///
/// Failures of system calls while the store is open are another kind of fault: they need a list of calls to fail, and a
/// store or a process that lets them fail, and would stand beside this and ``ForkedRun``.
struct StoreSurgery {
    /// A damage, in words, with what the files are then; nil for one that is not there.
    struct Damage {
        var words: String
        var files: [String: [UInt8]?]
        /// Whether nothing but the last byte of one file is gone.
        var isLastByte = false
    }

    private let directory: String
    private let files: [(name: String, bytes: [UInt8])]

    /// The files as they are now.
    init(_ directory: String) {
        self.directory = directory
        files = Directory.files(directory).map { (String($0.dropFirst(directory.count + 1)), Directory.read($0) ?? []) }
    }

    /// Cuts of each file, at up to `count` lengths: its last bytes, its first, and evenly between.
    func cuts(_ count: Int) -> [Damage] {
        files.flatMap { file in
            places(file.bytes.count, count).map { length in
                Damage(
                    words: "cut \(file.name) to \(length) of \(file.bytes.count) bytes",
                    files: [file.name: Array(file.bytes.prefix(length))], isLastByte: length == file.bytes.count - 1)
            }
        }
    }

    /// One changed bit at up to `count` places of each file, and at twice as many of one that is larger than a page.
    func flips(_ count: Int) -> [Damage] {
        files.flatMap { file in
            // A file that is larger than what is in it is zeros for the most part.
            let filled = file.bytes.count > 4_096 ? file.bytes.indices.filter { file.bytes[$0] != 0 } : []
            let all = filled.isEmpty ? Array(file.bytes.indices) : filled
            return places(all.count, filled.isEmpty ? count : 2 * count).map { all[$0] }.map { place in
                var bytes = file.bytes
                bytes[place] ^= 1 << UInt8(place % 8)
                return Damage(
                    words: "change a bit of byte \(place) of \(file.name)", files: [file.name: bytes])
            }
        }
    }

    /// The bytes of each file.
    var contents: [String: [UInt8]] { Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.bytes) }) }

    /// One changed byte in the middle of these bytes, wherever they lie; nil if no file has them.
    func spoiling(_ wanted: [UInt8]) -> Damage? {
        var changed: [String: [UInt8]?] = [:]
        for file in files where file.bytes.count >= wanted.count {
            var bytes = file.bytes
            for start in 0...bytes.count - wanted.count where bytes[start...].starts(with: wanted) {
                bytes[start + wanted.count / 2] ^= 0x55
                changed[file.name] = bytes
            }
        }
        return changed.isEmpty ? nil : Damage(words: "change a byte of a value", files: changed)
    }

    /// Files dropped, emptied, filled with zeros, and changed with each other.
    func losses() -> [Damage] {
        var damages: [Damage] = []
        for file in files.prefix(40) {
            damages.append(Damage(words: "drop \(file.name)", files: [file.name: nil]))
            damages.append(Damage(words: "empty \(file.name)", files: [file.name: []]))
            let zeros = [UInt8](repeating: 0, count: file.bytes.count)
            damages.append(Damage(words: "fill \(file.name) with zeros", files: [file.name: zeros]))
        }
        for (one, other) in zip(files.prefix(20), files.dropFirst().prefix(20)) {
            damages.append(
                Damage(
                    words: "change \(one.name) with \(other.name)",
                    files: [one.name: other.bytes, other.name: one.bytes]))
        }
        return damages
    }

    /// Makes the files what they are after a damage.
    func apply(_ damage: Damage) {
        for path in Directory.files(directory) {
            let name = String(path.dropFirst(directory.count + 1))
            if !files.contains(where: { $0.name == name }) { Directory.delete(path) }
        }
        for file in files {
            let isHit = damage.files.keys.contains(file.name)
            guard let bytes = isHit ? damage.files[file.name]! : file.bytes else {
                Directory.delete("\(directory)/\(file.name)")
                continue
            }
            _ = Directory.write(bytes, to: "\(directory)/\(file.name)")
        }
    }

    private func places(_ length: Int, _ count: Int) -> [Int] {
        guard length > count else { return Array(0..<length) }
        let even = (0..<count - 8).map { $0 * length / (count - 8) }
        return Set(even + Array(length - 8..<length)).sorted()
    }
}
