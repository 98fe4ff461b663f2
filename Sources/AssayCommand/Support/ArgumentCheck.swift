import ArgumentParser
import CacheCore
import Foundation

/// Looks at the arguments before they are parsed, for what the parser takes in silence or refuses without a hint.
///
/// It knows the options of a subcommand from the command's own description, so that a new one needs nothing here.
struct ArgumentCheck {
    /// What the parser says of one command.
    private struct Options: Decodable {
        private struct Description: Decodable {
            var command: Options
        }

        var arguments: [Argument]?

        /// It is asked for the command that is called alone: saying this of all of them took half of a command's start.
        init?(of command: any ParsableCommand.Type) {
            guard let all = try? JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8)) else {
                return nil
            }
            self = all.command
        }

        func option(named name: some StringProtocol) -> Argument? {
            (arguments ?? []).first { $0.kind != "positional" && $0.spellings.contains(String(name)) }
        }
        var takesPositionals: Bool { (arguments ?? []).contains { $0.kind == "positional" } }
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var isRepeating: Bool
        var parsingStrategy: String
        var names: [Name]?

        /// As it is written: `--out`, `-h`.
        var spellings: [String] { (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name } }
        var takesOneValue: Bool { kind == "option" && !isRepeating }
    }

    private let root: any ParsableCommand.Type

    /// A check of the arguments of a command.
    init(_ command: any ParsableCommand.Type) { root = command }

    /// Refuses an option that takes one value and is given twice, of which the parser keeps the last, a subcommand that does not
    /// exist, and a trace without its option. Everything else is left to the parser.
    ///
    /// - Throws: `AssayError` with code `usage`.
    func check(_ arguments: [String]) throws(AssayError) {
        var command = root
        var rest = arguments[...]
        while let name = rest.first, !name.hasPrefix("-"), !command.configuration.subcommands.isEmpty {
            if name == "help" { return }
            guard let next = command.configuration.subcommands.first(where: { Plugins.names($0).contains(name) }) else {
                return try refuse(name, of: command)
            }
            command = next
            rest = rest.dropFirst()
        }
        try check(rest, of: command)
    }

    private func refuse(_ name: String, of command: any ParsableCommand.Type) throws(AssayError) {
        guard command.configuration.defaultSubcommand == nil, Options(of: command)?.takesPositionals == false else {
            return
        }
        let isRoot = command == root
        if isRoot, DeveloperCommands.names.contains(name) { throw DeveloperCommands.error("'\(name)'") }
        if isRoot, let missing = Part.missing(subcommand: name) { throw missing }
        let names = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        let words = isRoot ? "" : " of '\(command._commandName)'"
        throw AssayError(
            .usage, "There is no subcommand '\(name)'\(words).\(near) There are \(names.joined(separator: ", ")).")
    }

    private func check(_ arguments: ArraySlice<String>, of command: any ParsableCommand.Type) throws(AssayError) {
        guard let options = Options(of: command) else { return }
        var given: [String: String] = [:]
        var rest = arguments
        while let word = rest.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else {
                try refuseStray(word, of: command, options)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // The parser says better what an unknown option may have been.
            guard let option = options.option(named: parts[0]) else { return }
            guard option.kind == "option" else { continue }
            var value = parts.count > 1 ? String(parts[1]) : nil
            if value == nil, option.parsingStrategy == "upToNextOption" {
                while let next = rest.first, !next.hasPrefix("-") || next == "-" { rest = rest.dropFirst() }
            } else if value == nil {
                value = rest.popFirst()
            }
            guard option.takesOneValue, let name = option.spellings.first else { continue }
            if let before = given[name] {
                throw AssayError(
                    .usage,
                    "The option takes one value and is given twice, as '\(before)' and as '\(value ?? "")'. Give it once.",
                    at: .init(name))
            }
            given[name] = value ?? ""
        }
    }

    /// A word that belongs to no option, in a command that takes none but reads traces.
    private func refuseStray(_ word: String, of command: any ParsableCommand.Type, _ options: Options)
        throws(AssayError)
    {
        guard !options.takesPositionals, options.option(named: "--trace") != nil else { return }
        throw AssayError(
            .usage,
            "'\(word)' belongs to no option. If it is a trace, say 'assay \(command._commandName) --trace \(word)'.")
    }
}
