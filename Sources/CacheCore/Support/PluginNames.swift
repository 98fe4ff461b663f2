extension String {
    /// Whether a plug-in or a parameter can have this name: lower-case letters and digits of ASCII, with `-`, `.`, `_` and `+` after
    /// the first.
    ///
    /// Lists are split at commas, parameters follow a colon, and what people write is made lower-case before it is looked up.
    package var isPluginName: Bool {
        func isPlain(_ byte: UInt8) -> Bool { "abcdefghijklmnopqrstuvwxyz0123456789".utf8.contains(byte) }
        guard let first = utf8.first, isPlain(first) else { return false }
        return utf8.allSatisfy { isPlain($0) || "-._+".utf8.contains($0) }
    }
}
