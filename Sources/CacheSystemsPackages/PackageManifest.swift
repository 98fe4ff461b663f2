#if Packages
    internal import CacheCore
    internal import CacheSystems

    /// The versions of the manifest that AFCache's tools have written.
    public enum ManifestVersion: Int, Sendable, Hashable, Codable, CaseIterable {
        /// `URL ; Last-Modified ; Expires ; type`, of which the last two may be missing. The file's name follows from the address.
        case first = 1
        /// `URL ; Last-Modified ; Expires ; type ; file`.
        case second = 2
    }

    /// What a package's manifest says, line by line.
    ///
    /// Fields are separated by a semicolon between spaces; `NULL`, and nothing, stand for what is not known. Lines end with LF or CR LF. Dates
    /// are those of HTTP, with `GMT` or `GMT+00:00`. A line `baseURL = …` is passed over: the addresses of the others are whole.
    struct PackageManifest {
        /// One resource.
        struct Line: Equatable {
            var number: Int
            var url: HTTPURL
            /// The address as it is written.
            var address: String
            var lastModifiedSeconds: Int64?
            var expiresSeconds: Int64?
            var mediaType: String?
            /// The file, as the second version names it.
            var file: String?
        }

        private(set) var lines: [Line] = []
        /// What cannot be used, with its place.
        private(set) var faults: [AssayError] = []

        /// Reads a manifest; `source` is its name in errors. `nowSeconds` tells the century of years with two digits.
        init(_ bytes: [UInt8], source: String, baseURL: HTTPURL?, nowSeconds: Int64) {
            var numbers: [HTTPURL: Int] = [:]
            for (index, part) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
                let content = part.last == 13 ? part.dropLast() : part
                do throws(AssayError) {
                    guard let line = try Self.line(content, index + 1, baseURL, nowSeconds) else { continue }
                    if let first = numbers[line.url] {
                        throw AssayError(.badInput, "\(line.url) is in line \(first) too. Leave one of them out.")
                    }
                    numbers[line.url] = line.number
                    lines.append(line)
                } catch {
                    faults.append(error.located(at: .init(source, line: index + 1)))
                }
            }
        }

        private static func line(
            _ bytes: ArraySlice<UInt8>, _ number: Int, _ baseURL: HTTPURL?, _ nowSeconds: Int64
        ) throws(AssayError) -> Line? {
            guard !bytes.allSatisfy({ $0 == 32 }) else { return nil }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw AssayError(.badInput, "The line is not in UTF-8. Write it so, or escape what is not ASCII.")
            }
            if text.hasPrefix("baseURL = ") { return nil }
            let fields = text.split(separator: " ; ", omittingEmptySubsequences: false).map(String.init)
            guard (2...5).contains(fields.count) else {
                throw AssayError(
                    .badInput,
                    "A line has 2 to 5 fields with ' ; ' between them, and this has \(fields.count). Write 'URL ; Last-Modified ; Expires ; type ; file'."
                )
            }
            func field(_ place: Int) -> String? {
                guard place < fields.count, !fields[place].isEmpty, fields[place] != "NULL" else { return nil }
                return fields[place]
            }
            func seconds(_ place: Int) throws(AssayError) -> Int64? {
                guard let text = field(place) else { return nil }
                let plain = text.hasSuffix("GMT+00:00") ? String(text.dropLast(6)) : text
                if let seconds = HTTPDate.seconds(of: plain, now: nowSeconds) { return seconds }
                throw AssayError(
                    .badInput, "'\(text)' is no date. Write it as 'Sun, 06 Nov 1994 08:49:37 GMT', or NULL.")
            }
            guard let url = HTTPURL(address(fields[0], baseURL)) else {
                throw AssayError(
                    .badInput,
                    "'\(fields[0])' is no address with http or https. Give one"
                        + (fields[0].hasPrefix(unnamed) ? " for the whole package (baseURL, --base-url)." : "."))
            }
            if let type = field(3), type.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
                throw AssayError(.badInput, "The media type has a control character. Write it as 'text/html', or NULL.")
            }
            return Line(
                number: number, url: url, address: fields[0], lastModifiedSeconds: try seconds(1),
                expiresSeconds: try seconds(2), mediaType: field(3), file: field(4))
        }

        /// What AFCache's tools write where they are told no address.
        private static let unnamed = "afcpkg://localhost"

        private static func address(_ text: String, _ baseURL: HTTPURL?) -> String {
            guard let baseURL, text.hasPrefix(unnamed) else { return text }
            let base = baseURL.description
            return (base.hasSuffix("/") ? String(base.dropLast()) : base) + text.dropFirst(unnamed.count)
        }

        /// A line of a manifest, without its end.
        static func text(_ line: Line, _ version: ManifestVersion) -> String {
            func date(_ seconds: Int64?) -> String { seconds.map { HTTPDate.text(of: $0) } ?? "NULL" }
            var fields = [
                line.address, date(line.lastModifiedSeconds), date(line.expiresSeconds), line.mediaType ?? "NULL",
            ]
            if version == .second { fields.append(line.file ?? "NULL") }
            return fields.joined(separator: " ; ")
        }
    }
#endif
