internal import Synchronization

// A body that turns out to be too long to be kept: from there on its pieces are handed on one by one.
extension BodyRecording {
    /// Hands a piece on to all readers, in the place of everything before it, as soon as they have had that. It is as fast as the slowest
    /// of them, but who takes nothing for so long while others wait for more is left behind.
    func pass(_ piece: [UInt8], patience: Duration) async throws {
        guard !piece.isEmpty else { return }
        try await waitForReaders(patience)
        wake { state in
            state.file = nil
            state.start = state.length
            state.bytes = piece
            state.length += piece.count
        }
    }

    private func waitForReaders(_ patience: Duration) async throws {
        while true {
            let (places, length) = state.withLock { ($0.places, $0.length) }
            let slow = places.filter { $0.value < length }
            if slow.isEmpty { return }
            let timer = slow.count == places.count ? nil : leaveBehind(slow, after: patience)
            defer { timer?.cancel() }
            await waitForChange(of: places)
            try Task.checkCancellation()
        }
    }

    /// Gives up, after a time, those readers that are still where they were.
    private func leaveBehind(_ slow: [Int: Int], after patience: Duration) -> Task<Void, Never> {
        Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            let writer = state.withLock { state in
                for (number, place) in slow where state.places[number] == place { state.places[number] = nil }
                return state.writer.take()
            }
            writer?.resume()
        }
    }

    /// Waits until a reader has come to the end of what is there, or has left, or the task is cancelled.
    private func waitForChange(of places: [Int: Int]) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.places == places, !Task.isCancelled else { return true }
                    state.writer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.writer.take() }?.resume()
        }
    }
}
