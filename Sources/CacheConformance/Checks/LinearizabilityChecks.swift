import CacheCore

/// LIN: several clients at once. Each question is put in several runs on threads that begin together, since what threads do
/// differs from run to run; a failure says in how many it was seen.
enum LinearizabilityChecks {
    static let all: [Check] = [
        Check(
            .init("LIN-1", profile: .core, source: "Herlihy and Wing: linearizability"), due: [.concurrent],
            "What clients are told at once can be explained by one operation after the other, key by key.",
            explanation: """
                Four clients read, write and remove three keys in twelve runs; every value is unique. The recorded history \
                is judged by the zones of its values: exact where everything is retained, with losses where not. Witness: a hit, \
                and operations that overlap another client's write. Where they are few there are more runs.
                """
        ) { context throws(CheckStop) in
            try context.stress(StressPlan(), steps: ["4 clients get, put and remove 3 keys"])
        },
        Check(
            .init("LIN-2", dependsOn: ["LIN-1"], source: "Herlihy and Wing: linearizability"), due: [.concurrent],
            "Who has read a new value never reads an older one afterwards.",
            explanation: """
                One client overwrites one key, the others read it: what each sees must not go back. A copy that is not \
                brought up to date, or a read outside of the lock, does.
                """
        ) { context throws(CheckStop) in
            try context.stress(
                StressPlan(
                    operationsEach: 400, keys: 1, kinds: [.get, .get, .get, .get, .get, .put], maintainEvery: 0),
                steps: ["4 clients read one key and seldom overwrite it"])
        },
        Check(
            .init("LIN-3", dependsOn: ["LIN-1"], profile: .core, source: "dgraph-io/ristretto#52"), due: [.concurrent],
            "A client finds what it wrote, and does not find what it removed, while others are busy.",
            explanation: """
                Each client puts, reads, removes and reads a key of its own, so that every answer is known. A write that \
                is queued and overtakes a removal brings the value back.
                """, body: readOwnWrites),
        Check(
            .init("LIN-4", source: "CacheLib CacheBench: torn values"), due: [.concurrent],
            "No value is read that nobody wrote: none is torn or another key's.",
            explanation: """
                Clients overwrite two keys with values of 20 000 bytes, each of which says whose it is and has a checksum, \
                while others read them.
                """
        ) { context throws(CheckStop) in
            try context.stress(
                StressPlan(
                    operationsEach: 100, keys: 2, kinds: [.get, .get, .put],
                    valueBytes: min(20_000, context.claims.valueBytesMax)),
                steps: ["4 clients read and overwrite 2 keys with values of 20 000 bytes"])
        },
        Check(
            .init(
                "LIN-5", revision: 2, dependsOn: ["TTL-2"],
                source: "basho/bitcask#191, ben-manes/caffeine#30, moka-rs/moka#348"),
            due: [.concurrent, .feature(.timeToLive), .retains],
            "A value that replaces an expired one survives the discovery of the old one's expiry.",
            explanation: """
                A client lets an entry expire and writes it anew, while others read the same key and do the cache's own \
                work. Who finds the old entry expired must not take the new one away. Then clients overwrite twice as many keys as \
                there is strict room for: who finds an entry that is being evicted must not bring it back. Where there are \
                tiers, memory is dropped before each read of the new value. A subject in a process of its own is also sent the \
                write and the reads together, again and again for three seconds. Steps that lie a microsecond apart are met so, \
                as in kubescape/kubevuln#753.
                """, body: freshSurvives),
        Check(
            .init("LIN-6", dependsOn: ["CLR-1"], source: "dgraph-io/ristretto#133"), due: [.concurrent],
            "Nothing that was stored before everything was removed is read afterwards.",
            explanation: """
                Clients read and write three keys and sometimes remove everything. A removal of everything counts as one of \
                each key within the same time; one that skips what is queued leaves old values.
                """
        ) { context throws(CheckStop) in
            try context.stress(
                StressPlan(kinds: [.get, .get, .put], clearEvery: 12),
                steps: ["4 clients get and put 3 keys, and remove everything"])
        },
        Check(
            .init("LIN-7", revision: 2, source: "memcached/memcached#470"),
            due: [.concurrent, .anyFeature([.replace, .compareAndSet, .take])],
            "A change of what is there never brings back what was removed at the same time.",
            explanation: """
                Clients replace, compare and set, exchange and take, as far as that is claimed, and remove. A change that looks \
                first and writes later stores over a removal.
                """
        ) { context throws(CheckStop) in
            let kinds: [HistoryOperation.Kind] = [
                .get, .get, .replace, .replace, .remove, .put, .compareAndSet, .getAndPut, .getAndRemove,
            ]
            try context.stress(
                StressPlan(operationsEach: 60, keys: 2, kinds: kinds.filter { $0.isCovered(by: context.claims) }),
                steps: ["4 clients get, put, remove and change 2 keys in each way that is claimed"])
        },
        Check(
            .init("LIN-8", revision: 2, dependsOn: ["CON-6"], source: "memcached: cas; Redis: SET NX"),
            due: [.concurrent, .feature(.compareAndSet), .retains],
            "Of those who compare and set at once one wins, and no count is lost.",
            explanation: """
                Four clients count up one value by comparing and setting, each until it has counted 100 times: the end is \
                400.
                """, body: countsExactly),
        Check(
            .init("LIN-9", profile: .experimental, source: "moka-rs/moka#248"), due: [.concurrent, .iterates],
            "Many overwrites of one key leave one entry, and it is one of the last.",
            explanation: """
                Four clients overwrite one key 5 000 times each, or 100 times where each put survives a loss of power, and \
                ask for maintenance now and then; then one key is listed, and its value is the last of one of the clients. Nodes \
                that pile up or are let go twice show here.
                """, body: overwrites),
        Check(
            .init("LIN-10", revision: 2, dependsOn: ["CON-10"], source: "Redis: MGET is atomic"),
            due: [.concurrent, .feature(.bulk), .feature(.snapshot)],
            "A read of several keys sees them as they were at one moment.",
            explanation: """
                One client writes the same number under a and then under b, 400 times; three others read both at \
                once, in either order. At any moment a has the number of b or the next. Witness: both were \
                found. Finds reads of several keys that are several reads, or wait for each other without an \
                end.
                """, body: seesOneMoment),
        Check(
            .init("LIN-11", source: "moka-rs/moka#248"), due: [.concurrent],
            "Everything at once ends in no crash and no error.",
            explanation: """
                Eight clients do all that the claims allow on 20 keys: read, write, also what expires soon, list, count, clear, do maintenance. No \
                answer may be an error. A crash is seen where the subject has a process of its own.
                """, body: churn),
        Check(
            .init("LIN-13", dependsOn: ["LDR-1"], source: "Caffeine: a task of a shared load may be cancelled"),
            due: [.concurrent, .feature(.loader), .feature(.cancel), .feature(.coalesce)],
            "Callers that give up at any moment of a load leave a cache that goes on as before.",
            explanation: """
                Four clients load three keys in 8 runs, with origins in which the caller gives up, at once or after a pause, \
                before or after somebody writes or removes the key. Nobody else is told of a failure, each value is one \
                that an origin or a client had, and afterwards each key is loaded, found and removed as ever. Witness: a \
                caller was told that it gave up. Giving up names a key, so callers must share its load. Finds loads that stay in \
                the books after they were given up.
                """, body: givesUp),
        Check(
            .init("LIN-14", dependsOn: ["LIF-1", "LIF-2"], source: "JSR-107 TCK: every use of a closed cache throws"),
            due: [.concurrent],
            "Closing among busy clients ends in answers, and 'closed' is the last of them.",
            explanation: """
                Four clients read and write until they are told that the cache is closed, while another closes it. After \
                the close has returned nothing else may be answered.
                """, body: closesAmongTraffic),
        Check(
            .init("LIN-15", source: "Herlihy and Wing: linearizability"), due: [.feature(.suspends)],
            "In whatever order suspended operations go on, their answers can be explained by one after the other.",
            explanation: """
                The cache is opened on an executor that runs one job at a time. Two or three clients ask for up to three \
                operations on a key; the same is asked again in every order in which what has become ready can go on, up to a \
                limit, and 40 random programs besides. The same order always shows the same. Witness: a hit, and a step at \
                which two could go on. Finds actors that look, wait, and then write what is no longer so; and waits without \
                an end.
                """
        ) { context throws(CheckStop) in try InterleavingCheck.verify(context) },
        Check(
            .init("LIN-16", revision: 2, dependsOn: ["ITR-1"], source: "moka-rs/moka#592, deliro/moka-py"),
            due: [.concurrent, .iterates],
            "When many clients are done, what is listed is what is counted and found, and all of it can be removed.",
            explanation: """
                Four clients put, read and remove 24 keys in twelve runs, and in every other run one of them \
                removes everything in the end. Then nobody writes: the list, the count and the reads agree; and \
                when each key has been removed, nothing is counted, listed or found. Witness: a hit. Finds \
                counters that are changed outside of the lock, and entries of which one of two tables does not \
                know.
                """, body: leavesOneTruth),
        Check(
            .init("LIN-17", dependsOn: ["CAP-1"], source: "moka-rs/moka#592, deliro/moka-py"),
            due: [.concurrent, .strict, .retains, .capacity(.objects)],
            "When many clients are done, there is as much room as before.",
            explanation: """
                Four clients put, read and remove half or twice as many keys as there is room for, and in some of the eight \
                runs everything. Again and again they stop, and others are put: no entry leaves before the cache is full, and \
                none is too many when it is. Finds nodes of the order of eviction that outlive their entries or stand for one \
                of them twice, and entries that have none.
                """, body: leavesWholeRoom),
        Check(
            .init(
                "LIN-18", revision: 4, dependsOn: ["LIN-1"],
                source: "Herlihy and Wing: linearizability; laravel/framework#61328"),
            due: [.concurrent, .retains],
            "Two clients that meet at one key see one of them before the other.",
            explanation: """
                Two clients wait for each other before each operation, up to 1500 times a pair: they put, \
                remove, put if absent, replace, compare and set, exchange, take, update, count, give another \
                time to live, and set or remove what has the marked version, as far as claimed, or write another \
                key beside, or clear. What they are told and what is found then is explained by one of the two \
                orders; what comes in under a tag while others leave by it leaves by it too. Finds steps that look \
                under one lock and write under another, however soon, and tables that are copied for a write. A \
                subject in a process of its own is also sent both together, among reads of another key.
                """
        ) { context throws(CheckStop) in try TwoClientRace(context).verify() },
    ]
}
