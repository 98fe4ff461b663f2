import Testing

/// The steps by which readers and writers of `ReaderLock` keep out of each other's way, tried in every order in which two readers, a
/// taker of notes and two writers can take them.
///
/// Each step is one access to what threads share, which is how the lock makes them: every one of those that matter is sequentially
/// consistent, so that all threads agree on their order.
private struct ReadProtocol: Hashable {
    /// A step that is left out or made in the wrong place.
    enum Defect: CaseIterable {
        case looksBeforeItMarks, ignoresTheWriter, waitsForNobody, waitsForTheFirstAlone, waitsBeforeItSaysSo
        case takesWithoutTheMutex, letsInWhileItWrites
    }

    /// Where a thread is.
    struct Place: Hashable {
        var step = 0
        /// What a reader saw.
        var sawWriter = false
        /// The stripe that a writer waits for.
        var stripe = 0
    }

    var isTaken = false
    var keepsOut = false
    var marks = [false, false]
    /// Readers 0 and 1, of which 0 takes its notes afterwards; writers 2 and 3.
    var places = [Place](repeating: Place(), count: 4)

    static let end = 100

    /// Whether a thread is inside: reads, takes notes, or writes.
    func isReading(_ thread: Int) -> Bool { thread < 2 && places[thread].step == 2 }
    func takesNotes(_ thread: Int) -> Bool { thread < 2 && places[thread].step == 4 }
    func isWriting(_ thread: Int) -> Bool { thread >= 2 && places[thread].step == 3 }

    /// Whether what must not be together is.
    var isBroken: Bool {
        let writers = (2..<4).filter(isWriting).count
        let readers = (0..<2).filter(isReading).count
        let takers = (0..<2).filter(takesNotes).count
        return writers > 1 || (writers == 1 && readers + takers > 0) || takers > 1
    }

    /// The state after a thread's next step; nil if it is done or must wait.
    func after(_ thread: Int, _ defect: Defect?) -> ReadProtocol? {
        var next = self
        return thread < 2 ? next.read(thread, defect) : next.write(thread, defect)
    }

    private mutating func read(_ thread: Int, _ defect: Defect?) -> ReadProtocol? {
        let isSwapped = defect == .looksBeforeItMarks
        switch places[thread].step {
        case isSwapped ? 1 : 0: marks[thread] = true
        case isSwapped ? 0 : 1: places[thread].sawWriter = keepsOut
        case 2: marks[thread] = false
        case 3:
            // The first reader tells the policy, or leaves it to others.
            guard thread == 0, !isTaken || defect == .takesWithoutTheMutex else { return finished(thread) }
            isTaken = true
        case 4:
            isTaken = false
            return finished(thread)
        case 5: marks[thread] = false
        case 6:
            guard !keepsOut else { return nil }
            places[thread].step = 0
            return self
        default: return nil
        }
        places[thread].step += 1
        if places[thread].step == 2, places[thread].sawWriter, defect != .ignoresTheWriter { places[thread].step = 5 }
        return self
    }

    private mutating func write(_ thread: Int, _ defect: Defect?) -> ReadProtocol? {
        let isSwapped = defect == .waitsBeforeItSaysSo
        switch places[thread].step {
        case 0:
            guard !isTaken else { return nil }
            isTaken = true
        case isSwapped ? 2 : 1:
            keepsOut = true
            if defect == .waitsForNobody { places[thread].step = 2 }
        case isSwapped ? 1 : 2:
            guard !marks[places[thread].stripe] else { return nil }
            places[thread].stripe += 1
            guard places[thread].stripe == marks.count || defect == .waitsForTheFirstAlone else { return self }
            if defect == .letsInWhileItWrites { keepsOut = false }
        case 3: keepsOut = false
        case 4:
            isTaken = false
            return finished(thread)
        default: return nil
        }
        places[thread].step += 1
        return self
    }

    private mutating func finished(_ thread: Int) -> ReadProtocol {
        places[thread].step = Self.end
        return self
    }

    /// Goes through every order of steps; says how many states there are, whether one is broken, and whether one is stuck.
    static func explore(_ defect: Defect?) -> (states: Int, isBroken: Bool, isStuck: Bool) {
        var seen: Set<ReadProtocol> = [ReadProtocol()]
        var open = [ReadProtocol()]
        var (isBroken, isStuck) = (false, false)
        while let state = open.popLast() {
            isBroken = isBroken || state.isBroken
            let next = (0..<4).compactMap { state.after($0, defect) }
            if next.isEmpty { isStuck = isStuck || state.places.contains { $0.step != end } }
            for state in next where seen.insert(state).inserted { open.append(state) }
        }
        return (seen.count, isBroken, isStuck)
    }
}

@Suite("Readers and writers of a shard, in every order of their steps")
struct ReadProtocolTests {
    @Test func `nobody reads while another writes, and nobody waits for ever`() {
        let result = ReadProtocol.explore(nil)
        #expect(result.states > 500)
        #expect(!result.isBroken && !result.isStuck)
    }

    @Test(arguments: ReadProtocol.Defect.allCases)
    fileprivate func `a missing step is found`(_ defect: ReadProtocol.Defect) {
        #expect(ReadProtocol.explore(defect).isBroken)
    }
}
