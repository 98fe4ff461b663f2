/// Dates of HTTP in seconds since 1970 UTC: the three formats of RFC 9110 §5.6.7, and nothing else. Letters may have any case, as RFC 9111 §4.2
/// wants of caches.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    /// The years from 0 to 9999, which is as many as there are digits for.
    private static let moments: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// The preferred format, as `Sun, 06 Nov 1994 08:49:37 GMT`; the nearest date that it can say.
    package static func text(of seconds: Int64) -> String {
        let seconds = min(max(seconds, moments.lowerBound), moments.upperBound)
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        let (year, month, date) = civil(day)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let weekday = days[Int((day % 7 + 7) % 7)].prefix(3)
        let digits = String(year)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return "\(weekday), \(two(date)) \(months[Int(month) - 1]) \(padded) "
            + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }

    /// The moment that a text names; nil if it is in none of the formats. A year of two digits is the one that is not more than
    /// fifty years after now.
    package static func seconds(of text: String, now: Int64) -> Int64? {
        let words = text.lowercased().split(separator: " ", omittingEmptySubsequences: false)
        switch words.count {
        case 6 where words[5] == "gmt" && words[0].last == "," && words[3].count == 4:
            guard isDay(words[0].dropLast(), isShort: true) else { return nil }
            return moment(words[1], words[2], number(words[3], digits: 4), words[4])
        case 4 where words[3] == "gmt" && words[0].last == ",":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard isDay(words[0].dropLast(), isShort: false), parts.count == 3 else { return nil }
            return moment(parts[0], parts[1], fullYear(number(parts[2], digits: 2), now), words[2])
        case 5, 6:
            // asctime: the day of the month is padded with a space.
            guard isDay(words[0], isShort: true), words.count == 5 || words[2].isEmpty else { return nil }
            let date = words.count == 5 ? words[2] : "0" + words[3]
            return moment(date, words[1], number(words[words.count - 1], digits: 4), words[words.count - 2])
        default: return nil
        }
    }

    private static func isDay(_ text: Substring, isShort: Bool) -> Bool {
        days.contains { (isShort ? String($0.prefix(3)) : $0).lowercased() == text }
    }

    private static func number(_ text: some StringProtocol, digits: Int) -> Int64? {
        text.utf8.count == digits && text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }

    private static func fullYear(_ year: Int64?, _ now: Int64) -> Int64? {
        guard let year else { return nil }
        let current = civil(now / 86_400).year
        let guess = current - current % 100 + year
        return guess > current + 50 ? guess - 100 : guess
    }

    private static func moment(_ date: some StringProtocol, _ month: Substring, _ year: Int64?, _ time: Substring)
        -> Int64?
    {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            let date = number(date, digits: 2), let year,
            let month = months.firstIndex(where: { $0.lowercased() == month }),
            (1...31).contains(date), hour < 24, minute < 60, second <= 60
        else { return nil }
        return dayNumber(year, Int64(month) + 1, date) * 86_400 + hour * 3600 + minute * 60 + min(second, 59)
    }

    /// Days since 1970 of a date in the Gregorian calendar: years begin in March, so that a leap day is the last of one.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, date: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}
