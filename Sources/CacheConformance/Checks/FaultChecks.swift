import CacheCore

/// FLT: processes that are killed, and files that are damaged.
enum FaultChecks {
    private static let kill = Claim.durability(.kill)
    private static let recovers = Claim.feature(.recovers)
    private static let damage = Claim.feature(.detectsDamage)

    static let all = (kills + calls).inOrder

    private static let kills: [Check] = [
        Check(
            .init("FLT-1", source: "LMDB, SQLite: a commit is whole or absent"), due: [.durability(.exit)],
            "After a kill at any moment each value is whole, or absent.",
            explanation: """
                A child process works on the store and is killed in the middle, at 21 moments or more. Whatever is then \
                found under a key is a value that was once put there, with its own moment of expiry. Witness: something is found after one of the kills, \
                and one came when some of the work was acknowledged and some was not. Finds values that are written in parts.
                """
        ) { (context) throws(CheckStop) in
            let moments = (1...16).map { 400 * $0 } + [8_000, 10_000, 13_000, 17_000, 25_000]
            try KillScenario(context, .anyWhole).run(at: KillMoments(microseconds: moments))
        },
        Check(
            .init("FLT-2", revision: 2, dependsOn: ["PER-1"], source: "JakeWharton/DiskLruCache#16"),
            due: [kill, .retains],
            "After a kill nothing that was acknowledged is lost.",
            explanation: """
                A child process is killed after each of 24 writes and removals; what is found is what the last \
                of them left, with its moment of expiry. Finds writes and indexes that wait in a buffer \
                (JakeWharton/DiskLruCache#16).
                """
        ) { (context) throws(CheckStop) in
            try KillScenario(context, .exact).run((1...24).map { .afterOperation($0) })
        },
        Check(
            .init("FLT-3", revision: 2, dependsOn: ["PER-2"], source: "coil-kt/coil#2667"), due: [kill],
            "After a kill nothing comes back that was removed.",
            explanation: """
                A child process is killed right after a removal was acknowledged, 6 times: that key is absent. \
                Witness: another key is found. Finds removals that wait in a buffer (coil-kt/coil#2667).
                """
        ) { (context) throws(CheckStop) in
            try KillScenario(context, .removedStayRemoved).run([6, 10, 14, 18, 22, 24].map { .afterOperation($0) })
        },
        Check(
            .init("FLT-6", dependsOn: ["PER-1"], source: "JakeWharton/DiskLruCache#52"),
            due: [.durability(.exit), damage],
            "A store that was cut short opens, and the rest can be used.",
            explanation: """
                Each file of a closed store is cut at up to 120 lengths. It opens or reports damage; each value is whole, \
                absent or an error, and has its tag, its end and its group as far as claimed; no other key is listed; what is put then is found, after another \
                opening too. Where kills \
                are survived, the loss of the last byte does not cost everything. Witness: a whole value is found.
                """
        ) { (context) throws(CheckStop) in
            try DamageScenario(context).run(expectsRest: context.claims.durability >= .kill) { $0.cuts(120) }
        },
        Check(
            .init("FLT-7", dependsOn: ["PER-1"], source: "apache/trafficserver#7064"),
            due: [.durability(.exit), damage],
            "Damaged bytes are never served, and can be written over.",
            explanation: """
                One bit is changed at up to 120 places of each file, 240 of a large one; files are dropped, emptied, zeroed \
                and changed with each other. Each value is whole, absent or an error; what is served leaves with its tag, ends \
                at its end and has the time till then, as far as claimed; what was removed, or lies in another group, is neither \
                found nor listed; what is put then is, after another opening too. Witness: a whole value is found. Finds stores that check nothing, or only values, and damaged entries that stay for ever.
                """
        ) { (context) throws(CheckStop) in
            try DamageScenario(context).run(expectsRest: false) { $0.flips(120) + $0.losses() }
        },
        Check(
            .init("FLT-8", revision: 4, dependsOn: ["FLT-2"], source: "LMDB, SQLite: a commit is whole or absent"),
            due: [kill, .retains],
            "A kill while a store is opened, cleared or does its chores does no more harm.",
            explanation: """
                A child process opens a filled store, reads once, and is killed at 12 moments or more: all is \
                still there, also where a killed process has filled it. The same while it clears: each entry is as it was or absent. The same while it does its chores, at each \
                call that changes a file or at these moments; another process removes an entry and does them again, without an error, and all else is as it was. Witness: a kill came \
                before the read was answered, and one before the clear was. Finds repairs that throw away before \
                they have written (akrylysov/pogreb#63), clears that begin with what was removed last, and rests of a compaction that are \
                taken for entries (AlCalzone/jsonl-db#189) or stop the next one (weaviate/weaviate#1697).
                """
        ) { (context) throws(CheckStop) in
            try KillScenario(context, .exact).runOpening()
            try KillScenario(context, .exact).runOpening(ofKilled: true)
            try KillScenario(context, .exact).runClearing()
            try KillScenario(context, .exact).runChores()
        },
        Check(
            .init("FLT-9", source: "folbricht/golongtail#237"), due: [.durability(.exit)],
            "What finds no room on the disk is an error or is dropped, and the old value is not served.",
            explanation: """
                A child process overwrites an entry. Where `recovers` is claimed, it may not let its files grow by more than some bytes, so that a \
                write is short or fails as on a full disk; what is found then, at once and after another opening, is nothing, or \
                the new value if the put was acknowledged. Where calls can be made to fail, each that writes fails with ENOSPC in turn, and each \
                writes half; a store that does not claim `recovers` may then keep the old value after a put that was an error. \
                Witness: the old value was found before, and a call failed. Finds writes whose failure is not looked at.
                """, body: keepsNothingOld),
        Check(
            .init("FLT-10", dependsOn: ["FLT-9"], source: "folbricht/golongtail#237"),
            due: [.durability(.exit), .retains],
            "When there is room again, the store works again.",
            explanation: """
                As FLT-9, with every call failing from one on, and then the limit is taken back: what is put now is found, at once and after \
                another opening; without the claim `recovers` after the opening at the latest. \
                Witness: the first value was found, and a call failed. Finds stores that one failed write ends for good.
                """, body: worksAgain),
        Check(
            .init("FLT-13", source: "onevcat/Kingfisher#2129"), due: [.durability(.exit), .retains, recovers],
            "A store whose directory was deleted goes on with what is put from then on.",
            explanation: """
                Deletes the directory of an open store, puts the same entry four times, reads it, and once more after \
                another opening. The first puts may fail. Finds stores that are dead until the process starts again.
                """
        ) { (context) throws(CheckStop) in try RecoveryScenario(context).survivesDeletion() },
        Check(
            .init("FLT-14", revision: 2, source: "JakeWharton/DiskLruCache: temporary files of unfinished edits"),
            due: [kill, .feature(.compacts)],
            "What killed processes left unfinished does not stay on the disk.",
            explanation: """
                A child process writes 400 000 bytes again and again and is killed, 72 times: at each of the first calls of \
                the system where these can be counted, and at moments of a write, however long one takes. Then the store is \
                opened, written and closed twice. It has at most the bytes of two such values more than one that was never \
                killed. Witness: a kill came in the middle of the work. Finds unfinished files that nobody deletes.
                """
        ) { (context) throws(CheckStop) in try LeftoverScenario(context).verify() },
        Check(
            .init("FLT-15", revision: 2, source: "jax-ml/jax#39880"), due: [.durability(.exit), .retains],
            "After a kill at any moment of a put the store can be written.",
            explanation: """
                A child process puts three keys twice and is killed: before each call of the system that writes, resizes, syncs or \
                names a file, where calls can be made to fail, and else at 24 moments of puts that go on until then. Then each key is put and found, and found \
                after another opening. Witness: a kill came before the end of the work. Finds files that a kill leaves half made and \
                that every later put stumbles over (jax-ml/jax#39880).
                """
        ) { (context) throws(CheckStop) in try KillScenario(context, .anyWhole).goesOn() },
    ]
}
