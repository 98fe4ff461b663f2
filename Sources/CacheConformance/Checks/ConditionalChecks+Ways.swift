import CacheCore

// What is the same in each of the ways in which something can be done.
extension ConditionalChecks {
    static let ofWays: [Check] = [
        Check(
            .init("CON-19", dependsOn: ["BAS-13"], sweeps: true), due: [.retains],
            "Nothing that was said of an entry is true of the next one under its key.",
            explanation: """
                Overwrites and removes an entry that has a time to live, a cost, a tag and a marked version, as far as \
                claimed, in each of the ways that are claimed, also in a group; after a removal another is stored in each way. That one \
                has a cost of its own, is not removed by the tag, does not end, and is not the version that was marked. \
                Finds tables beside the entries that a way of writing or of removing forgets.
                """
        ) { (context) throws(CheckStop) in try WaysScenarios.nothingIsLeft(context) },
        Check(
            .init("CON-20", dependsOn: ["BAS-13"], sweeps: true), due: [.retains],
            "What is said of an entry holds in whatever way it is written.",
            explanation: """
                Writes with a time to live, with tags, one of them named twice, and with a cost, each as far as claimed, \
                in each of the ways that take them, also in a group, and counts on what has them: it ends at its end, is \
                removed by a tag, also when it has got another time to live, and costs what was said. Finds ways of writing \
                that drop what comes with the value.
                """
        ) { (context) throws(CheckStop) in try WaysScenarios.termsHold(context) },
        Check(
            .init("CON-21", dependsOn: ["BAS-13"], sweeps: true),
            "Several operations in a row, each of which is right by itself, are right together.",
            explanation: """
                As far as claimed: renames twice, after a count, after a miss and after another time to live; marks two \
                keys and clears a group; removes by one of two tags; overtakes a load twice, and a refresh by an equal \
                value; lets a key end twice; writes one key twice in a batch; writes again what the writer refused; listens \
                twice; limits a group before and after it is filled; and resizes what is tagged or held, or after a size \
                that was refused. Finds what an operation leaves behind beside the entries.
                """
        ) { (context) throws(CheckStop) in
            for program in Conversations(context.claims).all { try context.verify(program, witness: .none) }
        },
    ]
}
