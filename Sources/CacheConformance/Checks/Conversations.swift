import CacheCore

/// Several operations in a row, of which each is right by itself: CON-21.
///
/// What one leaves behind beside the entries, the next one or the one after that stumbles over.
struct Conversations {
    private let claims: Claims
    private let a = Array("a".utf8)
    private let b = Array("b".utf8)
    private let c = Array("c".utf8)

    init(_ claims: Claims) { self.claims = claims }

    /// Those of which everything is claimed.
    var all: [Program] {
        (names + marks + tags + loads + times + batches + failures + groups + rooms)
            .filter { program in program.operations.allSatisfy { $0.isCovered(by: claims) } }
    }

    private func asked(_ features: [Claims.Feature], _ programs: () -> [Program]) -> [Program] {
        features.allSatisfy(claims.claims) ? programs() : []
    }

    private func tagged(_ key: [UInt8], _ number: Int, _ tags: String...) -> CacheOperation {
        .put(key, value(number), terms: PutTerms(tags: tags))
    }

    private func mortal(_ key: [UInt8], _ number: Int) -> CacheOperation {
        .put(key, value(number), terms: PutTerms(timeToLiveNanoseconds: 10))
    }

    private func load(_ key: [UInt8], _ number: Int, while meanwhile: [CacheOperation] = []) -> CacheOperation {
        .load(key, Origin(.value(value(number)), meanwhile: meanwhile))
    }

    /// What was answered before another name was given is not answered after it.
    private var names: [Program] {
        let counts: [CacheOperation] = claims.iterates ? [.count, .keys] : []
        return [
            Program(
                [.put(a, value(1)), .put(b, value(2))] + counts + [.get(a), .get(a), .rename(a, to: b), .get(a)]
                    + counts
                    + [.get(b)]),
            Program([.put(a, value(1)), .get(b), .rename(a, to: b), .get(b), .get(a)]),
            Program([tagged(a, 1, "t"), .rename(a, to: b), .rename(b, to: c), .get(c), .removeTagged("t"), .get(c)]),
        ]
    }

    /// Several marks hold at once, whatever is done elsewhere.
    private var marks: [Program] {
        [
            Program([
                .put(a, value(1)), .put(b, value(2)), .mark(a), .mark(b), .setIfMarked(a, value(3)), .get(a),
                .setIfMarked(b, value(4)), .get(b),
            ]),
            Program([
                .put(a, value(1)), .mark(a), .within(group: "g", .put(a, value(2))), .within(group: "g", .removeAll),
                .setIfMarked(a, value(3)), .get(a),
            ]),
        ]
    }

    /// What left by one of its tags has left the others too.
    private var tags: [Program] {
        [Program([tagged(a, 1, "t", "u"), .removeTagged("t"), .put(a, value(2)), .removeTagged("u"), .get(a)])]
    }

    /// What overtakes a load does so twice, and an equal value is another one.
    private var loads: [Program] {
        asked([.loader]) {
            [[CacheOperation.removeAll, .removeAll], [.remove(a), .remove(a)]].map { twice in
                Program([.put(b, value(1)), .get(b), load(a, 2, while: twice), .get(a)])
            }
                + asked([.refresh, .timeToLive]) {
                    [
                        Program(
                            [
                                load(a, 1), .advance(nanoseconds: 60), load(a, 2), .put(a, value(1)), .maintain,
                                .get(a),
                            ], setup: CacheSetup(refreshNanoseconds: 50))
                    ]
                }
        }
    }

    /// The last of several lives is the one that counts.
    private var times: [Program] {
        asked([.timeToLive]) {
            let renamed = Program([
                mortal(a, 1), .get(a), .touch(a, timeToLiveNanoseconds: 100), .rename(a, to: b),
                .advance(nanoseconds: 10), .get(b), .advance(nanoseconds: 90), .get(b),
            ])
            let twice: [CacheOperation] = [
                mortal(a, 1), .get(a), .advance(nanoseconds: 20), mortal(a, 2), .advance(nanoseconds: 20),
                .load(a, Origin(.failure)),
            ]
            return [renamed]
                + asked([.loader, .staleServe]) { [Program(twice, setup: CacheSetup(staleNanoseconds: 50))] }
        }
    }

    /// One key twice in a batch is one entry and two values.
    private var batches: [Program] {
        let twice = CacheOperation.putMany([KeyedPayload(a, value(2)), KeyedPayload(a, value(3))])
        return [Program([.put(a, value(1)), twice, .get(a)])]
            + asked([.events]) { [Program([.put(a, value(1)), .get(a), twice, .events])] }
    }

    /// What failed leaves nothing behind: not a writer that has it already, and not a listener that is told for both.
    private var failures: [Program] {
        asked([.writer]) {
            [
                Program(
                    [
                        .put(b, value(2)), .get(b), .writes, .failWrites(true), .put(a, value(1)), .failWrites(false),
                        .put(a, value(1)), .get(a), .writes,
                    ])
            ]
        }
            + asked([.events, .listener]) {
                [
                    Program([
                        .listen(.plain), .listen(.plain), .put(a, value(1)), .get(a), .remove(a), .events,
                    ])
                ]
            }
    }

    /// A limit outlives what was in the group, and counts what was there before it.
    private var groups: [Program] {
        func within(_ operation: CacheOperation) -> CacheOperation { .within(group: "x", operation) }
        return asked([.groupLimits, .groups]) {
            claims.iterates && claims.retains
                ? [
                    [.limitGroup("x", 1), within(.removeAll), within(.put(a, value(1)))],
                    [within(.put(a, value(1))), .limitGroup("x", 1)],
                ].map { start in
                    Program(start + [within(.put(b, value(2))), within(.count), within(.get(b))])
                } : []
        }
    }

    /// Another capacity, and the next ones.
    private var rooms: [Program] {
        guard let room = claims.room, room.isAdjustable, room.isStrict, room.units.contains(.objects), claims.retains
        else { return [] }
        func program(_ capacity: Int, _ operations: [CacheOperation]) -> Program {
            Program(operations, setup: CacheSetup(capacity: .objects(capacity)))
        }
        let newcomers = [CacheOperation.put(b, value(4)), .put(c, value(5)), .put(Array("d".utf8), value(6))]
        return [
            program(
                2, [tagged(a, 1, "t"), .put(b, value(2)), .resize(1), .put(a, value(3)), .removeTagged("t"), .get(a)]),
            program(
                2, [.put(a, value(1)), .pin(a), .put(b, value(2)), .resize(3)] + newcomers.dropFirst() + [.get(a)]),
            program(
                2, [tagged(a, 1, "t"), .get(a), .pin(a), .removeTagged("t"), .put(a, value(2))] + newcomers + [.get(a)]),
            program(4, [.put(a, value(1)), .put(b, value(2)), .get(b), .resize(-1), .resize(1), .get(a), .get(b)]),
            program(
                3,
                [
                    .put(a, value(1)), .put(b, value(2)),
                    .putMany([KeyedPayload(c, value(3)), KeyedPayload(c, value(4))]), .get(a), .get(b), .get(c),
                ]),
        ]
    }
}
