#if Packages
    internal import CacheSystems

    /// Which names files in a package may have, and which file belongs to an address.
    enum PackageNames {
        static let manifest = "manifest.afcache"
        /// What lies in here is not for an address.
        static let userData = ".userdata/"
        /// What lies in here belongs to the entry whose file has the rest of the name. The dot keeps it apart from the keys of AFCache, which
        /// are chosen by those who make packages.
        static let entryData = ".userdata/.entries/"

        /// Why a name is not for a package: it would lead out of a directory that it is unpacked in, on one system or another.
        static func fault(_ name: String) -> String? {
            let bytes = Array(name.utf8)
            if bytes.isEmpty { return "is empty" }
            if bytes.contains(where: { $0 < 32 || $0 == 127 }) { return "has a control character" }
            if bytes.contains(UInt8(ascii: "\\")) { return "has a backslash" }
            if bytes[0] == UInt8(ascii: "/") { return "is an absolute path" }
            if bytes.count > 1, bytes[1] == UInt8(ascii: ":"), bytes[0] | 32 >= UInt8(ascii: "a"),
                bytes[0] | 32 <= UInt8(ascii: "z")
            {
                return "begins with a drive letter"
            }
            let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            if parts.contains(where: { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }) {
                return "has a component '.' or '..'"
            }
            // A directory's name ends with a slash.
            if parts.dropLast().contains(where: \.isEmpty) { return "has an empty component" }
            return nil
        }

        /// The names that a file may have which belongs to an address, as the first version of the manifest has it: host and path, as
        /// they are written, without escapes, and without the query.
        static func candidates(_ address: String) -> [String] {
            guard let scheme = address.firstRange(of: "://") else { return [] }
            let whole = address[scheme.upperBound...].prefix { $0 != "#" }
            let authority = whole.prefix { $0 != "/" && $0 != "?" }
            let host = authority.prefix { $0 != ":" }
            let named = String(host + whole[authority.endIndex...])
            let path = String(named.prefix { $0 != "?" })
            return [named, unescaped(named), path, unescaped(path)].compactMap(\.self)
        }

        /// The name of the file of an address; nil where that makes no name.
        static func name(_ url: HTTPURL) -> String? {
            guard let name = candidates(url.description).first, fault(name) == nil, !name.hasSuffix("/"),
                name != manifest, !name.hasPrefix(userData)
            else { return nil }
            return name
        }

        /// A text with the characters that its escapes stand for; nil if they are no text.
        static func unescaped(_ text: String) -> String? {
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), rest.count >= 2, rest.first != UInt8(ascii: "+"),
                    let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                {
                    bytes.append(code)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return String(validating: bytes, as: UTF8.self)
        }

        /// A relative path as part of an address: whatever is not a letter, a digit or one of `-._~/` has an escape.
        static func escaped(_ path: String) -> String {
            let digits = Array("0123456789ABCDEF".utf8)
            var bytes: [UInt8] = []
            for byte in path.utf8 {
                let isPlain =
                    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || "-._~/".utf8.contains(byte)
                bytes += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
