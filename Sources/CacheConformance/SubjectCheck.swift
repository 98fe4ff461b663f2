public import CacheCore

/// Something that a subject did and should not have done: what the body of a check of one's own throws.
public struct CheckViolation: Error, Sendable, Hashable {
    /// What the subject did.
    public let observed: String
    /// What it was allowed to do.
    public let permitted: String

    /// Something unexpected.
    public init(observed: String, permitted: String) {
        self.observed = observed
        self.permitted = permitted
    }

    /// Throws unless two values are equal.
    public static func unless<Value: Equatable>(_ observed: Value, is permitted: Value, _ what: String)
        throws(CheckViolation)
    {
        guard observed != permitted else { return }
        throw CheckViolation(observed: "\(what): \(observed)", permitted: "\(permitted)")
    }
}

extension Check {
    /// A check of one kind of subject, beside those that every cache shares: a system's own.
    ///
    /// It is due for every subject of the kind, and blocked for any other. What the body throws is the failure: a ``CheckViolation``
    /// says what was seen, any other error is one that the subject threw.
    public init<Subject>(
        _ id: String, of kind: Subject.Type, _ assertion: String, explanation: String, steps: [String],
        body: @escaping @Sendable (Subject) throws -> Void
    ) {
        self.init(Head(id), assertion, explanation: explanation) { (context) throws(CheckStop) in
            guard let subject = context.subject as? Subject else {
                throw .blocked("the subject is not one that this check is about")
            }
            do { try body(subject) } catch let surprise as CheckViolation {
                try context.require(false, observed: surprise.observed, permitted: surprise.permitted, steps: steps)
            } catch {
                try context.require(false, observed: "threw \(error)", permitted: "no error", steps: steps)
            }
        }
    }

    /// A check of every store and cache, judged as the built-in ones are: by the model, which permits what the claims permit.
    ///
    /// Each program runs on a fresh instance. The first answer that is not permitted fails the check, with the smallest program that shows
    /// it. A program in which fewer than `hitsMin` operations find something stored could not have failed: it blocks the check.
    ///
    /// - Parameters:
    ///   - id: A section in capitals and a number that no other check has, such as `MINE-1`.
    ///   - claims: The claims that make it due; none for every subject.
    ///   - assertion: What must be so, in one sentence.
    ///   - explanation: What is done, and which defects are known to be found this way.
    ///   - programs: Makes the programs from the subject's claims and random numbers, which are equal for equal seeds.
    public init(
        _ id: String, due claims: [Claim] = [], _ assertion: String, explanation: String, hitsMin: Int = 1,
        programs: @escaping @Sendable (Claims, inout SeededGenerator) -> [Program]
    ) {
        self.init(.init(id), due: claims, assertion, explanation: explanation) { (context) throws(CheckStop) in
            var generator = context.generator
            for program in programs(context.claims, &generator) { try context.verify(program, witness: .hits(hitsMin)) }
        }
    }
}
