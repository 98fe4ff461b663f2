import CacheCore

/// What several clients ask for at once, operation by operation, of a cache whose operations suspend.
struct InterleavedProgram: Sendable {
    /// One operation of a client, in the numbers of a history.
    struct Call: Sendable {
        var kind: HistoryOperation.Kind
        var key: Int32
        var argument = HistoryOperation.absent
        var expected = HistoryOperation.absent

        /// The operation that a cache is asked for.
        var operation: CacheOperation {
            StressClient.operation(
                kind, StressClient.key(key), Self.payload(argument), Self.payload(expected))
        }

        private static func payload(_ number: Int32) -> Payload {
            .described(sequence: Int(number), byteCount: InterleavedProgram.valueBytes)
        }
    }

    /// Bytes of a value.
    static let valueBytes = 40

    /// Done before the others begin.
    var before: [Call] = []
    /// What each client asks for, one call after the other.
    var clients: [[Call]]

    /// How many keys there are.
    var keyCount: Int32 { ((before + clients.joined()).map(\.key).max() ?? 0) + 1 }

    /// Programs of two clients, of which one asks for one operation of these kinds and the other for one or two, and of a third
    /// that puts, on one key that has a value or none.
    static func small(_ kinds: [HistoryOperation.Kind]) -> [InterleavedProgram] {
        var programs: [InterleavedProgram] = []
        let simple: [HistoryOperation.Kind] = [.get, .put, .remove]
        for isThere in [true, false] {
            for (place, first) in kinds.enumerated() {
                for second in kinds[place...] {
                    programs.append(make(isThere, [[first], [second]]))
                    for third in simple where isThere { programs.append(make(isThere, [[first], [second, third]])) }
                    if second.hasArgument { programs.append(make(isThere, [[first], [second], [.put]])) }
                }
            }
        }
        return programs
    }

    /// A program of three clients with a few operations each on two keys.
    static func random(_ kinds: [HistoryOperation.Kind], _ generator: inout SeededGenerator) -> InterleavedProgram {
        var program = make(
            generator.next(below: 2) == 0,
            (0..<3).map { _ in
                (0..<(1 + generator.next(below: 3))).map { _ in kinds[generator.next(below: kinds.count)] }
            })
        for client in program.clients.indices {
            for call in program.clients[client].indices {
                program.clients[client][call].key = Int32(generator.next(below: 3) / 2)
            }
        }
        return program
    }

    /// Values are numbered, from 1, which is the one that is there before.
    private static func make(_ isThere: Bool, _ kinds: [[HistoryOperation.Kind]]) -> InterleavedProgram {
        var written: Int32 = 1
        return InterleavedProgram(
            before: isThere ? [Call(kind: .put, key: 0, argument: 1)] : [],
            clients: kinds.map { kinds in
                kinds.map { kind in
                    var call = Call(kind: kind, key: 0)
                    if kind.hasArgument {
                        written += 1
                        call.argument = written
                    }
                    if kind == .compareAndSet { call.expected = 1 }
                    return call
                }
            })
    }

    /// The programs with one operation less.
    var smaller: [InterleavedProgram] {
        var programs: [InterleavedProgram] = []
        for client in clients.indices {
            for call in clients[client].indices {
                var less = self
                less.clients[client].remove(at: call)
                less.clients.removeAll(where: \.isEmpty)
                programs.append(less)
            }
        }
        if !before.isEmpty { programs.append(InterleavedProgram(clients: clients)) }
        return programs
    }
}
