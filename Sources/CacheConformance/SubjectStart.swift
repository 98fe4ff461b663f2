public import CacheCore

/// Whether a subject can be asked at all: looked at once, before checks judge it, so that a fault of the set-up is not told as a
/// verdict on the cache.
public enum SubjectStart {
    /// Asks a subject for its claims and opens one instance.
    ///
    /// What the cache itself does wrong at opening, or afterwards, is left to the checks.
    ///
    /// - Returns: What the subject claims.
    /// - Throws: `AssayError` with code `unavailable` for a command that does not start or does not speak the subject protocol and
    ///   for a store whose place or server cannot be used, and with code `usage` for a subject without claims.
    @discardableResult
    public static func check(_ subject: any CacheSubject) throws(AssayError) -> Claims? {
        let claims: Claims
        do throws(StoreError) { claims = try subject.claims() } catch {
            if let fault = fault(error, of: subject, isGreeting: true) { throw fault }
            return nil
        }
        do throws(StoreError) {
            let sandbox = try Sandbox(needsDirectory: subject.needsDirectory)
            defer { sandbox.end() }
            _ = try subject.open(CacheSetup(), in: sandbox.directory).perform(.close)
        } catch {
            if let fault = fault(error, of: subject, isGreeting: false) { throw fault }
        }
        return claims
    }

    /// The error of a set-up; nil for one of the cache.
    private static func fault(
        _ error: StoreError, of subject: any CacheSubject, isGreeting: Bool
    ) -> AssayError? {
        // Lines of a program's last words stay lines of one message.
        let words = error.message.split(separator: "\n").joined(separator: " / ")
        guard subject is ProcessSubject, isGreeting else {
            guard error.code == .unavailable else { return nil }
            return AssayError(.unavailable, "\(subject.name) cannot be opened: \(words).")
        }
        if error.code == .unsupported, error.message == ProcessSubject.lackOfClaims {
            return AssayError(.usage, "\(subject.name) makes no claims. Give them with --claims FILE.")
        }
        if error.code == .unsupported, [FakedClock.doesNotMove, FakedClock.nothingEnds].contains(error.message) {
            return AssayError(.unavailable, "\(subject.name) cannot be held on a faked clock: \(error.message).")
        }
        return AssayError(
            .unavailable,
            "\(subject.name) cannot be started: \(words). The command must run under /bin/sh and answer the greeting of the "
                + "subject protocol (docs/subject-protocol.md).")
    }
}
