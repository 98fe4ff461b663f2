/// The numbers of objects whose keys are small numbers themselves, each at the place that its key says.
///
/// Many traces call their objects by numbers from a small range: blocks of a disk, ranks of a generator, ids that somebody has
/// assigned. Then there is nothing to hash or to compare, and neighbours share a cache line.
///
/// Memory: 4 KiB for each 1024 keys in a row of which one occurs, at most 32 MiB and 32 bytes an object, and up to 16 bytes more for
/// each 1024 up to the largest. All operations are O(1), amortised.
struct SmallKeys: ~Copyable {
    private typealias Page = UnsafeMutablePointer<UInt32>

    private static let pageKeys = 1 << 10
    private static let mostPages = 1 << 18
    private static let freePages = 1 << 13
    private static let objectsPerPage = 1 << 7

    /// For each page its keys' objects' numbers plus 1, 0 for none.
    private var pages = UnsafeMutablePointer<Page>.allocate(capacity: 0)
    private var pageCount = 0
    private var pagesInUse = 0
    /// What stands for each page without an object.
    private let nobody = SmallKeys.emptyPage()

    deinit {
        for page in 0..<pageCount where pages[page] != nobody { pages[page].deallocate() }
        pages.deallocate()
        nobody.deallocate()
    }

    /// Keys from this one on have no place yet.
    @inline(__always)
    var limit: UInt64 { UInt64(truncatingIfNeeded: pageCount &* Self.pageKeys) }

    /// The number of the object of a key below ``limit``, plus 1; 0 if there is none.
    @inline(__always)
    subscript(key: UInt64) -> UInt32 {
        let key = Int(truncatingIfNeeded: key)
        return pages[key / Self.pageKeys][key % Self.pageKeys]
    }

    /// Gives the object of a new key its number, the next. Returns false, and the key has none, if it is too large or the keys are
    /// too scattered.
    mutating func insert(_ key: UInt64, _ number: UInt32) -> Bool {
        guard key < UInt64(Self.mostPages * Self.pageKeys) else { return false }
        let (page, place) = Int(key).quotientAndRemainder(dividingBy: Self.pageKeys)
        if page >= pageCount { grow(upTo: page) }
        if pages[page] == nobody {
            guard pagesInUse < Self.freePages + Int(number) / Self.objectsPerPage else { return false }
            pages[page] = Self.emptyPage()
            pagesInUse += 1
        }
        pages[page][place] = number + 1
        return true
    }

    private mutating func grow(upTo page: Int) {
        var larger = max(1, pageCount)
        while larger <= page { larger *= 2 }
        let grown = UnsafeMutablePointer<Page>.allocate(capacity: larger)
        grown.initialize(from: pages, count: pageCount)
        (grown + pageCount).initialize(repeating: nobody, count: larger - pageCount)
        pages.deallocate()
        (pages, pageCount) = (grown, larger)
    }

    private static func emptyPage() -> Page {
        let page = Page.allocate(capacity: pageKeys)
        page.initialize(repeating: 0, count: pageKeys)
        return page
    }
}
