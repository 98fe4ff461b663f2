import CacheCore

/// What is part of `assay-dev` alone.
enum DeveloperCommands {
    /// The subcommands.
    static let names: Set = [
        "measure-generate", "measure-history", "measure-machine", "measure-peer", "measure-proof", "measure-replay",
        "measure-soak", "mutants",
    ]

    /// The error for somebody who asks for something there.
    static func error(_ thing: String) -> AssayError {
        AssayError(
            .usage,
            "\(thing) is part of assay-dev, which developers build: swift build -c release --product assay-dev")
    }
}
