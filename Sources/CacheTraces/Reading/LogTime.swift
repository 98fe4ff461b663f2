internal import CacheCore

/// Dates and times as logs write them, in nanoseconds from 1970.
enum LogTime {
    /// `25/Nov/2026:22:37:41 +0100`, with decimals behind the seconds or without; nil for anything else.
    static func commonLog(_ field: UnsafeRawBufferPointer) -> Int64? {
        var text = Scanner(field)
        guard let day = text.number(digits: 2), text.take(0x2f), let month = text.month(), text.take(0x2f),
            let year = text.number(digits: 4), text.take(0x3a), let seconds = text.timeOfDay(),
            let decimals = text.decimals(), text.take(0x20), let zone = text.zone(), text.isAtEnd
        else { return nil }
        return nanoseconds(year, month, day, seconds - zone, decimals)
    }

    /// `2026-11-25T22:37:41.5Z`, also with a blank for the T, with another zone, or without one for UTC; nil for anything else.
    static func iso8601(_ field: UnsafeRawBufferPointer) -> Int64? {
        var text = Scanner(field)
        guard let year = text.number(digits: 4), text.take(0x2d), let month = text.number(digits: 2), text.take(0x2d),
            let day = text.number(digits: 2), text.take(0x54) || text.take(0x20) || text.take(0x74),
            let seconds = text.timeOfDay(), let decimals = text.decimals()
        else { return nil }
        let zone = text.isAtEnd ? 0 : text.zone()
        guard let zone, text.isAtEnd else { return nil }
        return nanoseconds(year, month, day, seconds - zone, decimals)
    }

    /// `Wed, 25 Nov 2026 22:37:41 GMT`; nil for anything else.
    static func http(_ field: UnsafeRawBufferPointer) -> Int64? {
        guard field.count == 29, field[3] == 0x2c, field[4] == 0x20 else { return nil }
        var text = Scanner(UnsafeRawBufferPointer(rebasing: field[5...]))
        guard let day = text.number(digits: 2), text.take(0x20), let month = text.month(), text.take(0x20),
            let year = text.number(digits: 4), text.take(0x20), let seconds = text.timeOfDay(),
            field.suffix(4).elementsEqual(" GMT".utf8)
        else { return nil }
        return nanoseconds(year, month, day, seconds, 0)
    }

    /// `20261125223741` at UTC; nil for anything else.
    static func digits(_ field: UnsafeRawBufferPointer) -> Int64? {
        var text = Scanner(field)
        guard let year = text.number(digits: 4), let month = text.number(digits: 2), let day = text.number(digits: 2),
            let hours = text.number(digits: 2), hours < 24, let minutes = text.number(digits: 2), minutes < 60,
            let seconds = text.number(digits: 2), seconds <= 60, text.isAtEnd
        else { return nil }
        return nanoseconds(year, month, day, (hours * 60 + minutes) * 60 + seconds, 0)
    }

    /// Days of the proleptic Gregorian calendar and seconds; nil beyond 64 bits and for months and days that are none.
    private static func nanoseconds(
        _ year: Int, _ month: Int, _ day: Int, _ seconds: Int, _ decimals: Int
    ) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let last = month == 2 ? (isLeap ? 29 : 28) : 30 + (month + month / 8) % 2
        guard (1...12).contains(month), (1...last).contains(day) else { return nil }
        // The year begins in March, so that its last day is the one that may be missing.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let (whole, overflow) = Int64(days * 86_400 + seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(Int64(decimals))
        return overflow || carry ? nil : sum
    }

    /// Reads a field from its front.
    private struct Scanner {
        private let field: UnsafeRawBufferPointer
        private var index = 0

        init(_ field: UnsafeRawBufferPointer) { self.field = field }

        var isAtEnd: Bool { index == field.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard index < field.count, field[index] == byte else { return false }
            index += 1
            return true
        }

        mutating func number(digits: Int) -> Int? {
            guard field.count - index >= digits else { return nil }
            var value = 0
            for byte in field[index..<index + digits] {
                guard byte &- 0x30 <= 9 else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            index += digits
            return value
        }

        mutating func month() -> Int? {
            guard field.count - index >= 3 else { return nil }
            let name = field[index..<index + 3].reduce(0) { $0 << 8 | Int($1 | 0x20) }
            index += 3
            return LogTime.months.firstIndex(of: name).map { $0 + 1 }
        }

        /// `22:37:41` in seconds; a leap second is the next minute's first.
        mutating func timeOfDay() -> Int? {
            guard let hour = number(digits: 2), hour < 24, take(0x3a), let minute = number(digits: 2), minute < 60,
                take(0x3a), let second = number(digits: 2), second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        /// The nanoseconds of decimals, 0 if there are none; finer ones are cut off.
        mutating func decimals() -> Int? {
            guard take(0x2e) || take(0x2c) else { return 0 }
            var (value, unit, count) = (0, 100_000_000, 0)
            while index < field.count, field[index] &- 0x30 <= 9 {
                value += Int(field[index] - 0x30) * unit
                (unit, count, index) = (unit / 10, count + 1, index + 1)
            }
            return count > 0 ? value : nil
        }

        /// `Z`, `+0100` or `+01:00` in seconds.
        mutating func zone() -> Int? {
            if take(0x5a) || take(0x7a) { return 0 }
            let isNegative = take(0x2d)
            guard isNegative || take(0x2b), let hours = number(digits: 2) else { return nil }
            _ = take(0x3a)
            guard let minutes = number(digits: 2), hours < 24, minutes < 60 else { return nil }
            return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
        }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { $0.utf8.reduce(0) { $0 << 8 | Int($1) } }
}
