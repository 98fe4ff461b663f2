import CacheCore

// FLT: power cuts, and calls of the operating system that fail.
extension FaultChecks {
    static let calls: [Check] = [
        Check(
            .init("FLT-4", dependsOn: ["FLT-2"], source: "ALICE (OSDI 2014)"), due: [.durability(.power)],
            "After a power cut what was acknowledged is there, and the rest is whole or absent.",
            explanation: """
                A child process works on a store on a file system of its own, ext4 in an image. It is stopped at 6 moments that \
                the seed chooses, more with --seeds, and the image is copied as the device then has it; the copy is mounted and the store opened. \
                Under each key is what the last acknowledged operation left, or one that was under way. Witness: something is found after one of the \
                cuts. Needs root on Linux and mkfs.ext4. Finds what is not made durable before it is acknowledged, and directories that are not (ALICE, OSDI 2014).
                """
        ) { (context) throws(CheckStop) in try PowerCutScenario(context).verify() },
        Check(
            .init("FLT-5", revision: 2, source: "Alamofire AutoPurgingImageCache, hyperoslo Cache#94"),
            due: [.durability(.exit), .feature(.storedExpiry)],
            "A value is served with its own time of expiry, also after a failed write.",
            explanation: """
                As FLT-9 and FLT-11 at once: an entry is overwritten with another value and another time of expiry while each call that \
                writes fails in turn, with ENOSPC and EIO. What is found then has the value and the time of expiry of one put. Witness: the first entry was \
                found before, and a call failed. Finds stores that keep a value and what belongs to it in two places.
                """
        ) { (context) throws(CheckStop) in
            try CallScenario(context).overwrites([.writes, .lengths, .names, .syncs], [.noRoom, .device])
        },
        Check(
            .init("FLT-11", source: "PostgreSQL: fsyncgate (2018)"), due: [.durability(.exit)],
            "A write that the device refuses is not acknowledged.",
            explanation: """
                A child process overwrites an entry while each call that writes, makes durable, names or closes fails in turn with \
                EIO. What is found then, at once and after another opening, is the new entry if the put was acknowledged; if not the old \
                one or none, and the new one only where `undoesFailedPuts` is not claimed. Where power cuts are survived, a put whose fsync failed is an \
                error, unless the bytes were written once more. Witness: the first entry was found, and a call failed. Finds \
                ignored results, and fsync that is tried again until it succeeds (PostgreSQL's fsyncgate, 2018).
                """
        ) { (context) throws(CheckStop) in
            let scenario = CallScenario(context)
            try scenario.overwrites([.writes, .lengths, .names, .syncs, .closes], [.device])
            try scenario.acknowledgesNothingFalse()
        },
        Check(
            .init(
                "FLT-12", dependsOn: ["PER-1"],
                source: "JakeWharton/DiskLruCache: an unreadable journal deletes the directory"),
            due: [.durability(.exit), .retains],
            "A read that fails is an error or a miss, and the entry is kept.",
            explanation: """
                A child process opens a filled store and reads an entry while each call that opens or reads fails in turn: with EMFILE, \
                with EACCES, with EIO, and with half of the bytes. It answers the value, nothing, or an error; afterwards, and after another opening, \
                both entries are found. Witness: a call failed. Finds stores that take a failed read for damage and delete \
                (DiskLruCache deletes its directory on an unreadable journal), or serve what was read by half.
                """
        ) { (context) throws(CheckStop) in try CallScenario(context).reads() },
    ]

    /// FLT-9 in single calls: for who promises to recover beside the limit of the system, for all others alone.
    static func keepsNothingOld(_ context: CheckContext) throws(CheckStop) {
        if context.claims.claims(.recovers) {
            try RecoveryScenario(context).keepsNothingOld()
            if CallScenario.absence(for: context.subject) != nil { return }
        }
        try CallScenario(context).overwrites([.writes, .lengths, .names], [.noRoom, .half])
    }

    /// FLT-10, the same way.
    static func worksAgain(_ context: CheckContext) throws(CheckStop) {
        if context.claims.claims(.recovers) {
            try RecoveryScenario(context).worksAgain()
            if CallScenario.absence(for: context.subject) != nil { return }
        }
        try CallScenario(context).worksAgain()
    }
}
