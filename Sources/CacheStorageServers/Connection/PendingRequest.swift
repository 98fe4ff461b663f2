#if Servers
    import Dispatch
    import NIOCore
    import Synchronization

    /// Bytes for a server, and the place where a thread waits for the replies.
    final class PendingRequest<Reply: Sendable>: Sendable {
        private enum State {
            case waiting([Reply])
            case finished(Result<[Reply], LinkFailure>)
        }

        /// What is sent.
        let bytes: ByteBuffer
        private let replyCount: Int
        private let state = Mutex<State>(.waiting([]))
        private let done = DispatchSemaphore(value: 0)

        /// A request that is answered by `replyCount` replies, at least one.
        init(_ bytes: ByteBuffer, replyCount: Int) {
            self.bytes = bytes
            self.replyCount = replyCount
        }

        /// Takes a reply in; true when it was the last.
        func receive(_ reply: Reply) -> Bool {
            let isLast = state.withLock { state in
                guard case .waiting(var replies) = state else { return true }
                // Taken out of the state first, so that the array grows in place.
                state = .waiting([])
                replies.append(reply)
                let isLast = replies.count == replyCount
                state = isLast ? .finished(.success(replies)) : .waiting(replies)
                return isLast
            }
            if isLast { done.signal() }
            return isLast
        }

        /// Ends the wait with a failure, unless it has ended.
        func fail(_ failure: LinkFailure) {
            let isNew = state.withLock { state in
                guard case .waiting = state else { return false }
                state = .finished(.failure(failure))
                return true
            }
            if isNew { done.signal() }
        }

        /// Waits for the replies; nil if they have not come by the deadline.
        func wait(until deadline: Deadline) -> Result<[Reply], LinkFailure>? {
            guard done.wait(timeout: deadline.moment) == .success else { return nil }
            return state.withLock { state in
                guard case .finished(let result) = state else { return nil }
                return result
            }
        }
    }
#endif
