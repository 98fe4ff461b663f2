import CacheCore

/// CLOCK-Pro over one list in the order of accesses, oldest first, whose hands are found by search.
class NaiveClockPro: NaiveModel {
    enum Kind { case hot, cold, ghost }
    struct Page {
        var id: ObjectID
        var weight: Int
        var kind: Kind
        var isInTest = false
        var isMarked = false
        var wasHot = false
    }
    let c: Int
    private let dialect: String
    private let ghostLimit: Int
    private let leastCold: Int
    private let mostCold: Int
    private var coldTarget: Int
    private var list: [Page] = []
    private var lastID: ObjectID?
    private var step = NaiveStep(hit: false)

    required init(capacity: Int, parameters: ParameterValues) {
        c = capacity
        dialect = parameters.text("dialect")
        ghostLimit = naiveShare(c, parameters, "ghost")
        let least = max(dialect == "caffeine" ? 2 : 1, naiveShare(c, parameters, "cold-min"))
        leastCold = c == 1 ? 1 : min(least, c / 2)
        mostCold = max(leastCold, min(c - leastCold, naiveShare(c, parameters, "cold-max")))
        coldTarget = leastCold
    }

    /// What the target does at the access to a ghost or to a resident object in its test period.
    func adaptToAccess(of page: Page) { adjust(by: page.weight) }
    /// What it does when a test period ends.
    func adaptToEnd(of page: Page) { adjust(by: page.isMarked ? page.weight : -page.weight) }
    /// What it does at the access to a resident cold object that was hot.
    func adaptToDemoted(_ page: Page) {}

    func adjust(by delta: Int) { coldTarget = max(leastCold, min(mostCold, coldTarget + delta)) }

    func weight(_ isCounted: (Page) -> Bool) -> Int { list.filter(isCounted).reduce(0) { $0 + $1.weight } }

    var residents: [ObjectID] { list.filter { $0.kind != .ghost }.map(\.id) }
    var ghosts: [ObjectID] { list.filter { $0.kind == .ghost }.map(\.id) }

    func remove(_ id: ObjectID) { list.removeAll { $0.id == id } }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let (id, weight) = (request.id, request.weight)
        let isRepeated = dialect == "caffeine" && lastID == id
        lastID = id
        if let index = list.firstIndex(where: { $0.id == id && $0.kind != .ghost }) {
            if !isRepeated { list[index].isMarked = true }
            return NaiveStep(hit: true)
        }
        step = NaiveStep(hit: false)
        let free = c - self.weight { $0.kind != .ghost }
        if weight > c || dialect == "libcachesim" && weight > free {
            remove(id)
        } else if weight <= free {
            enter(id, weight, weight <= free - leastCold ? .hot : .cold)
        } else {
            while self.weight({ $0.kind != .ghost }) + weight > c { moveColdHand() }
            let isRemembered = ghosts.contains(id)
            let page = Page(id: id, weight: weight, kind: .ghost)
            enter(id, weight, isRemembered && mayPromote(page) ? .hot : .cold)
        }
        return step
    }

    private func enter(_ id: ObjectID, _ weight: Int, _ kind: Kind) {
        remove(id)
        list.append(Page(id: id, weight: weight, kind: kind, isInTest: kind == .cold))
        if kind == .hot { demoteSurplus() }
        passPages()
    }

    private func mayPromote(_ page: Page) -> Bool {
        adaptToAccess(of: page)
        guard dialect == "caffeine" else { return true }
        while weight({ $0.kind == .hot }) + page.weight > c - coldTarget {
            guard list.contains(where: { $0.id == page.id && $0.isInTest }) else { return false }
            guard moveHotHand(before: page.id) else { return false }
        }
        return true
    }

    private func demoteSurplus() {
        while dialect != "caffeine", weight({ $0.kind == .hot }) > c - coldTarget {
            guard moveHotHand(before: nil) else { return }
        }
    }

    private func moveColdHand() {
        guard let index = list.firstIndex(where: { $0.kind == .cold }) else {
            _ = moveHotHand(before: nil)
            return
        }
        var page = list[index]
        if page.isMarked {
            list[index].isMarked = false
            page.isMarked = false
            if page.isInTest, mayPromote(page) {
                page.kind = .hot
                page.isInTest = false
            } else {
                if page.wasHot { adaptToDemoted(page) }
                page.wasHot = false
                page.isInTest = true
            }
            remove(page.id)
            list.append(page)
            if page.kind == .hot { demoteSurplus() }
            return
        }
        step.evicted.append(page.id)
        if page.isInTest { list[index].kind = .ghost } else { list.remove(at: index) }
        while weight({ $0.kind == .ghost }) > ghostLimit { endPeriod(of: ghosts[0]) }
    }

    /// Whether an unmarked hot object older than `trigger` was found and made cold.
    private func moveHotHand(before trigger: ObjectID?) -> Bool {
        defer { passPages() }
        while let index = list.firstIndex(where: { $0.kind == .hot }) {
            let end = trigger.flatMap { id in list.firstIndex { $0.id == id } } ?? list.count
            guard index < end else { return false }
            var page = list.remove(at: index)
            let demotes = !page.isMarked
            page.isMarked = false
            if demotes {
                page.kind = .cold
                page.wasHot = true
            }
            list.append(page)
            if demotes { return true }
        }
        return false
    }

    /// Ends the test periods of everything older than the oldest hot object.
    private func passPages() {
        guard let hand = list.firstIndex(where: { $0.kind == .hot }) else { return }
        for page in list[..<hand] where page.isInTest { endPeriod(of: page.id) }
    }

    private func endPeriod(of id: ObjectID) {
        let index = list.firstIndex { $0.id == id }!
        let page = list[index]
        if page.kind == .ghost { list.remove(at: index) } else { list[index].isInTest = false }
        adaptToEnd(of: page)
    }
}

/// CLOCK-Pro+: the same list, another adaptation.
final class NaiveClockProPlus: NaiveClockPro {
    override func adaptToAccess(of page: Page) {
        if page.kind == .ghost { adjust(by: max(1, ratio(demoted, remembered)) * page.weight) }
    }
    override func adaptToEnd(of page: Page) {}
    override func adaptToDemoted(_ page: Page) { adjust(by: -max(1, ratio(remembered, demoted)) * page.weight) }

    private var demoted: Int { weight { $0.wasHot && $0.kind == .cold } }
    private var remembered: Int { weight { $0.kind == .ghost } }
    private func ratio(_ above: Int, _ below: Int) -> Int { below == 0 ? 0 : above / below }
}
