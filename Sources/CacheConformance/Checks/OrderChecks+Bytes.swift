import CacheCore

// Which entries leave a room in bytes.
extension OrderChecks {
    private static let names = (0..<16).map { Array("k\($0)".utf8) }

    private static func put(_ index: Int, _ cost: Int, _ number: Int? = nil) -> CacheOperation {
        .put(names[index], value(number ?? index), terms: PutTerms(cost: cost))
    }

    private static let look = names.map { CacheOperation.contains($0) }

    static let ofBytes: [Check] = [
        Check(
            .init("POL-15", dependsOn: ["POL-2", "CAP-3"]),
            due: [.orderOf("lru"), .strict, .retains, .capacity(.bytes), .feature(.cost)],
            "What makes room in bytes is what has not been used for longest, and no more than is needed.",
            explanation: """
                Fills 100 with entries of several costs, reads and overwrites some, puts what takes the room of one, of \
                several and of all, and looks; the same with 90 that cost 1, in ten random programs, and where that is \
                claimed by shrinking. Finds room that is made by cost or by chance, in another order than by count, and \
                more of it than is needed.
                """
        ) { (context) throws(CheckStop) in
            let (setup, room) = try context.room(.bytes, 100)
            guard room == 100, context.subject.orderPolicy != nil else { throw .blocked("the room, or a policy") }
            let fill = [put(0, 10), put(1, 40), put(2, 20), put(3, 30)]
            let steps: [[CacheOperation]] = [
                [put(4, 5)], [.get(names[0]), put(4, 30)], [put(1, 40, 20), put(4, 45)], [put(0, 25, 21)],
                [put(4, 100)], [put(3, 5, 22), put(4, 25), put(5, 10)], [.remove(names[2]), put(4, 21)],
            ]
            for way in steps { try context.verify(fill + way + look, setup: setup, witness: .none) }
            if context.claims.claims(.resize) {
                try context.verify(fill + [.get(names[0]), .resize(45)] + look, setup: setup, witness: .none)
            }
            // So many that a cache that was made for few is made anew on the way.
            let many = (0..<90).map { Array("many-\($0)".utf8) }
            let rows = many.enumerated().map { CacheOperation.put($1, value(100 + $0), terms: PutTerms(cost: 1)) }
            try context.verify(
                rows + many[..<5].map { .get($0) } + [put(0, 30)] + many.map { .contains($0) } + [.cost],
                setup: setup)
            var random = context.generator
            for _ in 0..<10 {
                let operations = (0..<150).flatMap { step -> [CacheOperation] in
                    let index = random.next(below: names.count)
                    switch random.next(below: 8) {
                    case 0..<3: return [.get(names[index])]
                    case 3..<7: return [put(index, 1 + random.next(below: 40), step)]
                    default: return [.remove(names[index]), .cost]
                    }
                }
                try context.verify(operations + look, setup: setup)
            }
        }
    ]
}
