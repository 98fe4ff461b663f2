import CacheCore

/// A part of the command that takes long to build, and is built in where the package's trait of its name is on.
enum Part: String, CaseIterable {
    case conformance = "Conformance"
    case sqlite = "SQLite"
    case lmdb = "LMDB"
    case rocksdb = "RocksDB"
    case servers = "Servers"
    case systems = "Systems"
    case http = "HTTP"
    case encryption = "Encryption"
    case lightgbm = "LightGBM"
    case packages = "Packages"
    case watch = "Watch"

    /// Whether it is built in.
    var isBuilt: Bool {
        var built: Set<Part> = []
        #if Conformance
            built.insert(.conformance)
        #endif
        #if SQLite
            built.insert(.sqlite)
        #endif
        #if LMDB
            built.insert(.lmdb)
        #endif
        #if RocksDB
            built.insert(.rocksdb)
        #endif
        #if Servers
            built.insert(.servers)
        #endif
        #if Systems
            built.insert(.systems)
        #endif
        #if HTTP
            built.insert(.http)
        #endif
        #if Encryption
            built.insert(.encryption)
        #endif
        #if LightGBM
            built.insert(.lightgbm)
        #endif
        #if Packages
            built.insert(.packages)
        #endif
        #if Watch
            built.insert(.watch)
        #endif
        return built.contains(self)
    }

    /// The subcommands that it brings.
    var subcommands: [String] {
        switch self {
        case .conformance: ["conform", "check-history"]
        case .sqlite: ["history"]
        case .http: ["http-cache"]
        case .packages: ["pack"]
        case .watch: ["watch"]
        default: []
        }
    }

    /// The backends and subjects that it brings.
    var subjects: [String] {
        switch self {
        case .sqlite: ["sqlite"]
        case .lmdb: ["lmdb"]
        case .rocksdb: ["rocksdb"]
        case .servers: ["memcached", "redis"]
        case .systems:
            ["method-cache", "expiring-disk-cache", "call-cache", "record-cache", "http-cache"].flatMap {
                [$0, $0 + "-as-shipped"]
            }
        case .encryption: ["sealed"]
        case .conformance, .http, .lightgbm, .packages, .watch: []
        }
    }

    /// The policies that it brings.
    var policies: [String] { self == .lightgbm ? ["lrb", "3l-cache", "gl-cache"] : [] }

    /// The error for somebody who names a thing that this part would bring.
    func missing(_ thing: String) -> AssayError {
        AssayError(
            .usage,
            "'\(thing)' is not built in. Add it by scripts/run --with \(rawValue.lowercased()) (or everything by --all), and to a "
                + "package of your own by the trait \(rawValue).")
    }

    /// The error for a subcommand that is not built in; nil if there is none of that name.
    static func missing(subcommand name: String) -> AssayError? {
        allCases.first { !$0.isBuilt && $0.subcommands.contains(name) }?.missing(name)
    }

    /// What the help says of subcommands that are not built in.
    static var missingSubcommands: String {
        let missing = allCases.filter { !$0.isBuilt && !$0.subcommands.isEmpty }
        guard !missing.isEmpty else { return "" }
        let words = missing.map { "\($0.subcommands.joined(separator: ", ")) by --with \($0.rawValue.lowercased())" }
        return " scripts/run adds others: \(words.joined(separator: "; "))."
    }

    /// The error for a policy that is not built in; nil if there is none of that name.
    static func missing(policy name: String) -> AssayError? {
        allCases.first { !$0.isBuilt && $0.policies.contains(name) }?.missing(name)
    }

    /// The error for a backend or a subject that is not built in; nil if there is none of that name.
    static func missing(subject name: String) -> AssayError? {
        allCases.first { !$0.isBuilt && $0.subjects.contains(name) }?.missing(name)
    }
}
