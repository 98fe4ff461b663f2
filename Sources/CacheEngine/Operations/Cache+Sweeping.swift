extension Cache {
    /// Sweeps every so often until the returned task is cancelled, the cache is closed, or nobody holds it any more.
    ///
    /// Without this the memory of what has expired is given back when the cache is next written to, or read by
    /// ``Cache/count``; with it, at most the interval later. The interval is real time, whatever clock the cache has.
    /// A sweep is ``Cache/removeExpired()``: O(1) amortised for each entry whose time is over.
    public func sweepRegularly(every interval: Duration) -> Task<Void, Never> {
        Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                guard let cache = self, !cache.isClosed else { return }
                cache.removeExpired()
            }
        }
    }
}
