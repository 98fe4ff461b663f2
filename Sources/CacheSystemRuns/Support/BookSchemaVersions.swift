internal import CacheSystems

/// A book as four versions of one program know it. The fields of each follow from its number alone.
enum BookSchemaVersions {
    /// With an author of a type of its own, and the pages as text.
    struct V1: CacheRecord, Equatable {
        struct Author: CacheRecord, Equatable {
            static let recordName = "Author"
            var name: String
            var born: String
        }

        static let recordName = "Book"
        static let timeline = RecordTimeline(version: 1)
        var title: String
        var pages: String
        var author: Author
        var shelf: Int
    }

    /// The title is a heading, and the pages are a number.
    struct V2: CacheRecord, Equatable {
        static let recordName = "Book"
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { try countPages(&$0) }
        var heading: String
        var pages: Int
        var author: V1.Author
        var shelf: Int
    }

    /// As version 2, with a field more: no step is needed.
    struct V3: CacheRecord, Equatable {
        static let recordName = "Book"
        static let timeline = RecordTimeline(version: 3).migrating(from: 1) { try countPages(&$0) }
        var heading: String
        var pages: Int
        var author: V1.Author
        var shelf: Int
        var language: String?
    }

    /// The author's name is the book's own, there are no authors and no shelves any more, and every book has a language.
    struct V4: CacheRecord, Equatable {
        static let recordName = "Book"
        static let timeline = RecordTimeline(version: 4)
            .migrating(from: 1) { try countPages(&$0) }
            .migrating(from: 3) { data in
                data.move("name", outOf: "author", as: "by")
                data.remove("author")
                data.remove("shelf")
                data.fill("language", with: "en")
            }
        var heading: String
        var pages: Int
        var language: String
        var by: String
    }

    private static func countPages(_ data: inout RecordData) throws {
        data.rename("title", to: "heading")
        try data.retype("pages") { pages in
            guard let number = pages.text.flatMap({ Int($0) }) else { throw RecordRefusal.remove("no number of pages") }
            return .integer(Int128(number))
        }
    }

    static func title(_ number: Int) -> String { "The \(number)th book of a library that outlives its programs" }
    private static func pages(_ number: Int) -> Int { 50 + number % 950 }
    private static func author(_ number: Int) -> V1.Author {
        V1.Author(name: "Author \(number % 10_007)", born: "\(1800 + number % 200)-01-01")
    }

    /// Version 1; without a number of pages the book is refused by the step to version 2.
    static func v1(_ number: Int, hasPages: Bool) -> V1 {
        V1(
            title: title(number), pages: hasPages ? "\(pages(number))" : "many", author: author(number),
            shelf: number % 97)
    }

    static func v2(_ number: Int) -> V2 {
        V2(heading: title(number), pages: pages(number), author: author(number), shelf: number % 97)
    }

    static func v3(_ number: Int) -> V3 {
        V3(heading: title(number), pages: pages(number), author: author(number), shelf: number % 97)
    }

    static func v4(_ number: Int) -> V4 {
        V4(heading: title(number), pages: pages(number), language: "en", by: author(number).name)
    }
}
