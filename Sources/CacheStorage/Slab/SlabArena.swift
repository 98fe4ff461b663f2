import CacheCore

/// Memory in chunks of a few sizes, cut from pages of one size; a page whose chunks are all free is given back.
///
/// A chunk is named by a 32-bit handle: its page and its place there in units of 16 bytes. Pages of one class that have
/// free chunks are linked, so allocating and freeing are O(1).
struct SlabArena: ~Copyable {
    /// The unit in which chunks are measured and placed.
    static let unitBytes = 16
    private static let none = UInt32.max

    /// One page; `units` are counted from its start.
    struct Page {
        var base: UnsafeMutableRawPointer?
        var sizeClass: UInt8 = 0
        var live: UInt32 = 0
        /// The first chunk of the list of freed ones, 0xFFFF_FFFF for none.
        var freed = UInt32.max
        /// Where the part begins that was never used.
        var untouched: UInt32 = 0
        var previous = UInt32.max
        var next = UInt32.max
    }

    let pageBytes: Int
    /// The chunk sizes in bytes, ascending.
    let chunkBytes: [Int]
    private let unitsPerPage: UInt32
    private var pages: [Page] = []
    private var vacantPages: [UInt32] = []
    /// For each class the first page with room.
    private var roomy: [UInt32]
    private var pageCount = 0

    /// An arena without pages; each chunk size is about `growthFactor` times the one before, up to an eighth of a page.
    init(pageBytes: Int, growthFactor: Double) {
        var sizes: [Int] = []
        var size = Self.unitBytes
        while size <= pageBytes / 8 {
            sizes.append(size)
            let grown = Int(Double(size) * growthFactor) / Self.unitBytes * Self.unitBytes
            size = max(size + Self.unitBytes, grown)
        }
        let roomy = [UInt32](repeating: Self.none, count: sizes.count)
        self.pageBytes = pageBytes
        self.unitsPerPage = UInt32(pageBytes / Self.unitBytes)
        self.chunkBytes = sizes
        self.roomy = roomy
    }

    deinit {
        for page in pages { page.base?.deallocate() }
    }

    /// The bytes that pages and their table take.
    var byteCount: Int { pageCount * pageBytes + pages.count * MemoryLayout<Page>.stride }

    /// The largest chunk in bytes.
    var chunkBytesMax: Int { chunkBytes.last! }

    /// The smallest class whose chunks hold `bytes`, which is at most ``chunkBytesMax``. O(log classes).
    func sizeClass(for bytes: Int) -> Int {
        var (low, high) = (0, chunkBytes.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if chunkBytes[middle] < bytes { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The class of a chunk that is in use.
    func sizeClass(of handle: UInt32) -> Int { Int(pages[Int(handle / unitsPerPage)].sizeClass) }

    /// Whether a chunk of a class can be had without a new page.
    func hasRoom(_ sizeClass: Int) -> Bool { roomy[sizeClass] != Self.none }

    /// The memory of a chunk.
    func address(_ handle: UInt32) -> UnsafeMutableRawPointer {
        pages[Int(handle / unitsPerPage)].base! + Int(handle % unitsPerPage) * Self.unitBytes
    }

    /// Takes a chunk; its bytes are not initialised.
    mutating func allocate(_ sizeClass: Int) -> UInt32 {
        if roomy[sizeClass] == Self.none { addPage(sizeClass) }
        let index = roomy[sizeClass]
        let units = UInt32(chunkBytes[sizeClass] / Self.unitBytes)
        let chunk = withPage(index) { page -> UInt32 in
            page.live += 1
            if page.freed != Self.none {
                let chunk = page.freed
                page.freed = (page.base! + Int(chunk) * Self.unitBytes).load(as: UInt32.self)
                return chunk
            }
            defer { page.untouched += units }
            return page.untouched
        }
        if !isRoomy(index) { unlink(index) }
        return index * unitsPerPage + chunk
    }

    /// Gives a chunk back, and its page if that was the last one in it.
    mutating func free(_ handle: UInt32) {
        let index = handle / unitsPerPage
        let wasRoomy = isRoomy(index)
        let chunk = handle % unitsPerPage
        let isVacant = withPage(index) { page -> Bool in
            (page.base! + Int(chunk) * Self.unitBytes).storeBytes(of: page.freed, as: UInt32.self)
            page.freed = chunk
            page.live -= 1
            return page.live == 0
        }
        if isVacant {
            if wasRoomy { unlink(index) }
            withPage(index) { page in
                page.base!.deallocate()
                page = Page()
            }
            vacantPages.append(index)
            pageCount -= 1
        } else if !wasRoomy {
            link(index)
        }
    }

    private mutating func addPage(_ sizeClass: Int) {
        let index = vacantPages.popLast() ?? UInt32(pages.count)
        if Int(index) == pages.count { pages.append(Page()) }
        pages[Int(index)].base = .allocate(byteCount: pageBytes, alignment: Self.unitBytes)
        pages[Int(index)].sizeClass = UInt8(sizeClass)
        pageCount += 1
        link(index)
    }

    private func isRoomy(_ index: UInt32) -> Bool {
        let page = pages[Int(index)]
        let units = UInt32(chunkBytes[Int(page.sizeClass)] / Self.unitBytes)
        return page.freed != Self.none || page.untouched + units <= unitsPerPage
    }

    private mutating func link(_ index: UInt32) {
        let sizeClass = Int(pages[Int(index)].sizeClass)
        let head = roomy[sizeClass]
        pages[Int(index)].previous = Self.none
        pages[Int(index)].next = head
        if head != Self.none { pages[Int(head)].previous = index }
        roomy[sizeClass] = index
    }

    private mutating func unlink(_ index: UInt32) {
        let page = pages[Int(index)]
        if page.previous == Self.none {
            roomy[Int(page.sizeClass)] = page.next
        } else {
            pages[Int(page.previous)].next = page.next
        }
        if page.next != Self.none { pages[Int(page.next)].previous = page.previous }
    }

    private mutating func withPage<Result>(_ index: UInt32, _ body: (inout Page) -> Result) -> Result {
        body(&pages[Int(index)])
    }
}
