import CacheCore

/// Something that a subject did and should not have done: what the body of a check of one's own throws.
public struct Surprise: Error, Sendable, Hashable {
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
    public static func unless<Value: Equatable>(_ observed: Value, is permitted: Value, _ what: String) throws(Surprise)
    {
        guard observed != permitted else { return }
        throw Surprise(observed: "\(what): \(observed)", permitted: "\(permitted)")
    }
}

extension Check {
    /// A check of one kind of subject, beside those that every cache shares: a system's own.
    ///
    /// It is due for every subject of the kind, and blocked for any other. What the body throws is the failure: a ``Surprise``
    /// says what was seen, any other error is one that the subject threw.
    public init<Subject>(
        _ id: String, of kind: Subject.Type, _ assertion: String, explanation: String, steps: [String],
        body: @escaping @Sendable (Subject) throws -> Void
    ) {
        self.init(id, assertion, explanation: explanation) { (context) throws(CheckStop) in
            guard let subject = context.subject as? Subject else {
                throw .blocked("the subject is not one that this check is about")
            }
            do { try body(subject) } catch let surprise as Surprise {
                try context.require(false, observed: surprise.observed, permitted: surprise.permitted, steps: steps)
            } catch {
                try context.require(false, observed: "threw \(error)", permitted: "no error", steps: steps)
            }
        }
    }
}
