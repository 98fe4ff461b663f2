import CacheCore

/// Answers as one byte each, which is all that has to come from a child process.
struct AnswerBytes {
    /// The entries that an answer may have.
    private let entries: [StoredEntry]

    init(_ entries: [StoredEntry]) { self.entries = entries }

    /// An answer as a byte.
    func byte(of result: OperationResult) -> UInt8 {
        switch result {
        case .done: 1
        case .entry(nil): 2
        case .entry(let entry?): entries.firstIndex(of: entry).map { UInt8(10 + $0) } ?? 3
        default: 4
        }
    }

    /// The answer of a byte; an entry that is none of those is an empty one.
    func result(_ byte: UInt8) -> OperationResult {
        switch byte {
        case 1: .done
        case 2: .entry(nil)
        case 10..<UInt8(10 + entries.count): .entry(entries[Int(byte) - 10])
        case 3: .entry(StoredEntry([]))
        default: .failure(StoreError(.inputOutput, "an error"))
        }
    }
}
