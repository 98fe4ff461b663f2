/// Commands as a shell takes them.
enum ShellText {
    /// The command with these arguments, quoted for a shell.
    static func command(_ arguments: [String]) -> String {
        (["assay"] + arguments).map(quoted).joined(separator: " ")
    }

    private static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || "-_./:=,%+@".unicodeScalars.contains(scalar)
            }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }
}
