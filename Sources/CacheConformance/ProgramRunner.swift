import CacheCore

/// Runs a program on a fresh store and holds every answer against the model.
struct ProgramRunner: Sendable {
    let subject: StorageSubject
    let claims: StorageClaims

    /// What came of a run.
    struct Run {
        /// How many answers showed something stored.
        var hits = 0
        /// The first answer that was not permitted.
        var divergence: Divergence?
    }

    /// An answer that the model does not permit.
    struct Divergence {
        /// The operation's place in the program; the program's length for what was seen after its end.
        var index: Int
        var observed: String
        var permitted: String
    }

    /// Runs until the end or the first wrong answer.
    func run(_ program: Program) -> Run {
        var run = Run()
        do {
            let sandbox = try Sandbox(needsDirectory: subject.needsDirectory)
            var store: (any StorageBackend)? = try subject.open(in: sandbox.directory)
            var model = StorageModel(claims: claims)
            for (index, operation) in program.operations.enumerated() {
                let entry = Self.entry(of: operation)
                let result = apply(operation, entry, to: &store, in: sandbox)
                if result.isHit { run.hits += 1 }
                guard let permitted = model.judge(operation, entry: entry, result) else { continue }
                run.divergence = Divergence(
                    index: index, observed: ValueText.describe(result, of: operation), permitted: permitted)
                break
            }
            _ = try? store?.close()
            if run.divergence == nil { run.divergence = containment(sandbox, program.operations.count) }
        } catch {
            run.divergence = Divergence(index: 0, observed: "opening threw \(error)", permitted: "an open store")
        }
        return run
    }

    private static func entry(of operation: Operation) -> StoredEntry? {
        guard case .put(let key, let payload, let expiry) = operation else { return nil }
        return StoredEntry(payload.bytes(for: key), expiresAtNanoseconds: expiry)
    }

    private func containment(_ sandbox: Sandbox, _ end: Int) -> Divergence? {
        let strays = sandbox.strays()
        guard !strays.isEmpty else { return nil }
        return Divergence(
            index: end, observed: "outside the store's directory: \(strays.joined(separator: " "))",
            permitted: "nothing written outside the store's directory")
    }

    private func apply(
        _ operation: Operation, _ entry: StoredEntry?, to store: inout (any StorageBackend)?, in sandbox: Sandbox
    ) -> OperationResult {
        do throws(StorageError) {
            switch operation {
            case .close: try store?.close()
            case .reopen, .relocate:
                try store?.close()
                store = nil
                if operation == .relocate { sandbox.relocate() }
                store = try subject.open(in: sandbox.directory)
            case .abandon:
                store = nil
                store = try subject.open(in: sandbox.directory)
            default:
                guard let store else { return .failure(.closed) }
                return try Self.ask(store, operation, entry)
            }
            return .done
        } catch {
            return .failure(error)
        }
    }

    private static func ask(
        _ store: any StorageBackend, _ operation: Operation, _ entry: StoredEntry?
    ) throws(StorageError) -> OperationResult {
        switch operation {
        case .put(let key, _, _): try store.put(entry!, for: key)
        case .get(let key): return .entry(try store.get(key))
        case .contains(let key): return .flag(try store.contains(key))
        case .remove(let key): return .flag(try store.remove(key))
        case .removeAll: try store.removeAll()
        case .count: return .number(try store.count())
        case .keys: return .keys(try store.keys())
        case .flush: try store.flush()
        case .close, .reopen, .relocate, .abandon: break
        }
        return .done
    }
}
