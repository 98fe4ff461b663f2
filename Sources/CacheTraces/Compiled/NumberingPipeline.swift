internal import CacheCore
internal import Dispatch
internal import Synchronization

/// Numbers the keys of a trace on one thread and writes the numbers on another, while whoever reads the trace goes on.
///
/// A few blocks go round: filled by the reader, numbered, written, and filled again, so that memory stays bounded and whoever
/// is ahead waits.
final class NumberingPipeline: @unchecked Sendable {
    private static let blockCount = 6

    private struct State {
        var free: [KeyBlock] = []
        var failure: AssayError?
    }

    // Unchecked, because each of these belongs to its queue while blocks go round, and to the owner once none does.
    private var table = KeyTable()
    private var file: CompiledFileWriter

    private let numbering = DispatchQueue(label: "assay.numbering")
    private let writing = DispatchQueue(label: "assay.writing")
    /// Counts from 0, because a semaphore may not end below where it began.
    private let room = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// A pipeline that ends in a file.
    init(into file: consuming CompiledFileWriter) {
        self.file = file
        for _ in 0..<Self.blockCount { room.signal() }
    }

    /// An empty block; waits until there is one.
    ///
    /// - Throws: what went wrong with an earlier block.
    func nextBlock() throws(AssayError) -> KeyBlock {
        room.wait()
        let (block, failure) = state.withLock { ($0.free.popLast(), $0.failure) }
        if let failure { throw failure }
        return block ?? KeyBlock()
    }

    /// Takes a block with its first `count` keys.
    func append(_ block: consuming KeyBlock, count: Int) {
        let filled = Handover(block: block)
        numbering.async { [self] in
            attempt { () throws(AssayError) in try filled.block.number(count, by: &table) }
            writing.async { [self] in
                attempt { () throws(AssayError) in
                    try file.write(UnsafeRawBufferPointer(start: filled.block.ids, count: 4 * filled.block.count))
                }
                state.withLock { $0.free.append(filled.block) }
                room.signal()
            }
        }
    }

    /// Waits for all blocks, then lends the table and the file to `body`, which has them alone.
    ///
    /// - Throws: what went wrong with a block, or what `body` throws.
    func finish<Value>(
        _ body: (inout KeyTable, inout CompiledFileWriter) throws(AssayError) -> Value
    ) throws(AssayError) -> Value {
        drain()
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try body(&table, &file)
    }

    /// Waits until no block is on its way.
    func drain() {
        numbering.sync {}
        writing.sync {}
    }

    /// Does one step unless an earlier one failed.
    private func attempt(_ step: () throws(AssayError) -> Void) {
        guard state.withLock({ $0.failure == nil }) else { return }
        do throws(AssayError) { try step() } catch { state.withLock { $0.failure = $0.failure ?? error } }
    }

    /// A block on its way, which only one thread has at a time.
    private struct Handover: @unchecked Sendable {
        let block: KeyBlock
    }
}
