internal import Foundation

extension String {
    /// UTF-8 in NFC: the same bytes for every spelling that Swift holds equal. O(bytes).
    var composedUTF8: [UInt8] {
        Array((utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping).utf8)
    }
}
