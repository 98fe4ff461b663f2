// swift-tools-version: 6.2
import PackageDescription

// CacheCore depends on no other library of this package. Plug-ins depend on it and not on each other; AssayCommand, assay-dev and the
// tests alone name concrete plug-ins (TidyTests hold the rules).
// Packages and libraries that not everybody has, and what takes long to build, sit behind traits. By default `swift build` makes the
// command without them; a package that only wants CacheCore, CachePolicies or CacheConformance writes `traits: []`.

// URLCache needs libcurl, which a bare system lacks: scripts/package leaves it out of what it links statically.
let withoutURLCache: [SwiftSetting] =
    Context.environment["ASSAY_WITHOUT_URLCACHE"] == nil ? [] : [.define("WITHOUT_URLCACHE")]

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ] + withoutURLCache

/// The build that tests run in (scripts/checked-build) optimises nothing but what calculates much: all else, and other packages, take
/// three times as long to compile when optimised. `-Xfrontend` comes behind that build's `-Onone`. No client could take these flags, so that no
/// other build has them.
let optimised: [SwiftSetting] =
    Context.environment["ASSAY_CHECKED"] == nil
    ? [] : [.unsafeFlags(["-Xfrontend", "-O"], .when(configuration: .release))]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], isHot: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict + (isHot ? optimised : []))
}

/// A module of policies: they are apart so that they are compiled side by side, and a change to one compiles its family alone.
func policies(_ name: String, _ folder: String, _ families: [Target.Dependency] = []) -> Target {
    let support: [Target.Dependency] = name == "PolicySupport" ? [] : ["PolicySupport"]
    return .target(
        name: name, dependencies: ["CacheCore", "CIntrinsics"] + support + families,
        path: "Sources/CachePolicies/\(folder)", swiftSettings: strict + optimised)
}

let policyFamilies: [Target.Dependency] = [
    "RecencyPolicies", "SegmentedPolicies", "InterReferencePolicies", "AdaptivePolicies", "SketchPolicies",
    "PriorityPolicies", "RandomPolicies", "AdmissionPolicies", "Prefetchers",
]

/// Hot are tests that calculate much, have caches that are asked much, or hold generic code of this package.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource]? = nil,
    isHot: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["_CacheTestSupport"], exclude: exclude, resources: resources,
        swiftSettings: strict + (isHot ? optimised : []))
}

func command(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["CommandLine"]))
}

func servers(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-nio", condition: .when(traits: ["Servers"]))
}

func http(_ product: String, _ package: String = "swift-nio") -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["HTTP"]))
}

func watch(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-nio", condition: .when(traits: ["Watch"]))
}

func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "Assay",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CacheCore", targets: ["CacheCore"]),
        .library(name: "CachePolicies", targets: ["CachePolicies"]),
        .library(name: "CacheTraces", targets: ["CacheTraces"]),
        .library(name: "CacheStorage", targets: ["CacheStorage"]),
        .library(name: "CacheEngine", targets: ["CacheEngine"]),
        .library(name: "CacheRecording", targets: ["CacheRecording", "CCacheRecording"]),
        .library(name: "CacheEngineRecording", targets: ["CacheEngineRecording"]),
        .library(name: "CacheSystems", targets: ["CacheSystems"]),
        .library(name: "CacheEncryption", targets: ["CacheEncryption"]),
        .library(name: "CacheSystemsPackages", targets: ["CacheSystemsPackages"]),
        .library(name: "CacheConformance", targets: ["CacheConformance"]),
        .library(name: "CacheConformanceTesting", targets: ["CacheConformanceTesting"]),
        .library(name: "AssayCommand", targets: ["AssayCommand"]),
        .library(name: "CachePlugins", targets: ["CachePlugins"]),
        .executable(name: "assay", targets: ["assay"]),
    ],
    traits: [
        .trait(name: "CommandLine", description: "The assay command with its harness, reports and workloads."),
        .trait(name: "SQLite", description: "The SQLite storage backend and the history of results, over GRDB."),
        .trait(name: "LMDB", description: "The LMDB storage backend, over Debian's liblmdb-dev."),
        .trait(name: "RocksDB", description: "The RocksDB storage backend, over Debian's librocksdb-dev."),
        .trait(name: "Servers", description: "The Redis and memcached storage backends, over SwiftNIO."),
        .trait(name: "Conformance", description: "The conformance suite in the command, and whole caches as subjects."),
        .trait(
            name: "Systems", description: "The five complete caches in the command: their runs and their checks.",
            enabledTraits: ["Conformance"]),
        .trait(
            name: "HTTP",
            description: "HTTPCache over the network and as a proxy, over async-http-client and SwiftNIO."),
        .trait(name: "Encryption", description: "What is stored, encrypted at rest, over swift-crypto."),
        .trait(name: "Watch", description: "assay watch: a live page of a command on this machine, over SwiftNIO."),
        .trait(
            name: "LightGBM", description: "Policies that learn, over LightGBM's library, which is opened at run time."),
        .trait(name: "Packages", description: "Packages of web resources for HTTPCache, over Debian's libzip-dev."),
        // What takes long to build is added by its word: scripts/run --with http. That script's first build leaves the suite out.
        .default(enabledTraits: ["CommandLine", "Conformance"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // C shims, the core of CacheRecording that C programs share, and system libraries.
        .target(name: "CIntrinsics"),
        .target(name: "CCountNodes"),
        .target(name: "CMemoryProbe"),
        .target(name: "CHardwareCounters"),
        // Files that programs carry with them: the kits, the pages' styles and scripts.
        .target(name: "CEmbeddedFiles"),
        .target(name: "CInterruption"),
        .target(name: "CMappedFault"),
        .target(name: "CThreadNumber"),
        .target(name: "CAssayPlugin"),
        .target(name: "CCacheRecording"),
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        system("CZstd", "libzstd", apt: "libzstd-dev"),
        system("CXXHash", "libxxhash", apt: "libxxhash-dev"),
        system("CLzma", "liblzma", apt: "liblzma-dev"),
        system("CRocksDB", "rocksdb", apt: "librocksdb-dev"),
        system("CLMDB", "lmdb", apt: "liblmdb-dev"),
        system("CZip", "libzip", apt: "libzip-dev"),
        // Debian's libbz2 has no pkg-config file; the module map links it.
        .systemLibrary(name: "CBZip2", providers: [.apt(["libbz2-dev"])]),

        library("CacheCore", ["CEmbeddedFiles", "CIntrinsics"], isHot: true),
        policies("PolicySupport", "Support"),
        policies("RecencyPolicies", "Recency"),
        policies("SegmentedPolicies", "Segmented"),
        policies("InterReferencePolicies", "InterReference"),
        policies("AdaptivePolicies", "Adaptive"),
        policies("SketchPolicies", "Sketch"),
        // By frequency or size, and the bounds: they share heaps and orders of priorities.
        policies("PriorityPolicies", "Priority"),
        policies("RandomPolicies", "Random"),
        policies("AdmissionPolicies", "Admission"),
        policies("Prefetchers", "Prefetch"),
        policies("LearnedPolicies", "Learned"),
        policies(
            "CachePolicies", "Builtin",
            policyFamilies + [.target(name: "LearnedPolicies", condition: .when(traits: ["LightGBM"]))]),
        library(
            "CacheTraces",
            [
                "CacheCore", "CIntrinsics", "CMappedFault", "CZlib", "CZstd", "CLzma", "CBZip2", "CXXHash",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ], isHot: true),
        library("CacheStorage", ["CacheCore", "CMappedFault"], isHot: true),
        library("CachePlugins", ["CAssayPlugin", "CIntrinsics", "CacheCore"]),
        library("CacheEngine", ["CIntrinsics", "CThreadNumber", "CacheCore", "RecencyPolicies"], isHot: true),
        library("CacheRecording", ["CCacheRecording"]),
        library("CacheEngineRecording", ["CacheCore", "CacheEngine", "CacheRecording"]),
        // The library of failing calls is compiled when it is needed: it is preloaded into a process, and linked by nobody.
        library(
            "CacheConformance", ["CEmbeddedFiles", "CInterruption", "CacheCore"],
            exclude: ["FailingCalls"], isHot: true),
        // What needs Swift Testing is linked by tests alone.
        library("CacheConformanceTesting", ["CacheConformance", "CacheCore", "CachePolicies"]),
        // The adapter kits lie here and nowhere else; what is written by `assay conform init` is embedded from here.
        library(
            "CacheKits", ["CEmbeddedFiles", "CacheCore"],
            exclude: ["python", "node", "go", "c", "java", "rust", "swift"]),
        library("CacheSystems", ["CacheCore", "CacheEngine"], isHot: true),
        library(
            "CacheSystemsHTTP",
            [
                "CacheCore", "CacheEngine", "CacheSystems", http("AsyncHTTPClient", "async-http-client"),
                http("NIOCore"), http("NIOPosix"), http("NIOHTTP1"),
            ], isHot: true),
        library(
            "CacheEncryption",
            [
                "CacheCore", "CacheStorage", "CacheSystems",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Encryption"])),
            ]),
        library("CacheEngineSubjects", ["CacheCore", "CacheEngine", "CacheConformance"]),
        library(
            "CacheSystemChecks", ["CacheCore", "CacheEngine", "CacheConformance", "CacheSystems"]),
        library(
            "CacheSystemsPackages",
            ["CacheCore", "CacheEngine", "CacheSystems", .target(name: "CZip", condition: .when(traits: ["Packages"]))]),
        // A correct cache with every capability, and its mutants: for tests and `assay-dev`, in no product.
        library("CacheReference", ["CacheCore", "CacheConformance"], isHot: true),
        library(
            "CacheMutants", ["CEmbeddedFiles", "CacheCore", "CacheConformance", "CacheReference"],
            exclude: ["mutants.tsv"], isHot: true),
        library(
            "CacheStorageSQLite",
            ["CacheCore", .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))]),
        library("CacheStorageLMDB", ["CacheCore", .target(name: "CLMDB", condition: .when(traits: ["LMDB"]))]),
        library(
            "CacheStorageRocksDB", ["CacheCore", .target(name: "CRocksDB", condition: .when(traits: ["RocksDB"]))]),
        library("CacheStorageServers", ["CacheCore", servers("NIOCore"), servers("NIOPosix")], isHot: true),
        library("CacheStorageFoundation", ["CacheCore"]),
        library("CacheGate", ["CacheCore", command("Yams", "Yams")]),
        library(
            "CacheHistory",
            [
                "CacheCore", "CacheGate",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ]),
        library("CacheWorkloads", ["CacheCore", "CacheTraces", command("Yams", "Yams")], isHot: true),
        library(
            "CacheHarness",
            [
                "CacheCore", "CacheEngine", "CCountNodes", "CHardwareCounters", "CMemoryProbe", "CIntrinsics",
                command("Histogram", "hdrhistogram-swift"),
            ], isHot: true),
        library(
            "CacheSystemRuns",
            [
                "CacheCore", "CacheEngine", "CacheHarness", "CacheSystems", "CacheTraces", "CacheWorkloads",
                .target(name: "CacheSystemsPackages", condition: .when(traits: ["Packages"])),
            ], isHot: true),
        library(
            "CacheReports",
            [
                "CEmbeddedFiles", "CacheCore", "CacheGate", "CZlib", command("Histogram", "hdrhistogram-swift"),
            ],
            exclude: ["Templates"]),
        library(
            "CacheWatch", ["CEmbeddedFiles", "CacheCore", watch("NIOCore"), watch("NIOPosix"), watch("NIOHTTP1")],
            exclude: ["Templates"]),
        library(
            "AssayCommand",
            [
                "CacheCore", "CachePlugins", "CachePolicies", "CacheTraces", "CacheStorage", "CacheWorkloads",
                "CacheHarness", "CacheGate", "CacheReports", "CacheStorageFoundation",
                .target(name: "CacheConformance", condition: .when(traits: ["Conformance"])),
                .target(name: "CacheKits", condition: .when(traits: ["Conformance"])),
                .target(name: "CacheEngineSubjects", condition: .when(traits: ["Conformance"])),
                .target(name: "CacheSystems", condition: .when(traits: ["HTTP", "Packages"])),
                .target(name: "CacheSystemChecks", condition: .when(traits: ["Systems"])),
                .target(name: "CacheSystemRuns", condition: .when(traits: ["Systems"])),
                .target(name: "CacheStorageSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "CacheHistory", condition: .when(traits: ["SQLite"])),
                .target(name: "CacheStorageLMDB", condition: .when(traits: ["LMDB"])),
                .target(name: "CacheStorageRocksDB", condition: .when(traits: ["RocksDB"])),
                .target(name: "CacheStorageServers", condition: .when(traits: ["Servers"])),
                .target(name: "CacheEncryption", condition: .when(traits: ["Encryption"])),
                .target(name: "CacheSystemsHTTP", condition: .when(traits: ["HTTP"])),
                .target(name: "CacheSystemsPackages", condition: .when(traits: ["Packages"])),
                .target(name: "CacheWatch", condition: .when(traits: ["Watch"])),
                command("ArgumentParser", "swift-argument-parser"), command("Logging", "swift-log"),
            ]),
        .executableTarget(name: "assay", dependencies: ["AssayCommand"], swiftSettings: strict),
        // What only developers and scripts use beside the command.
        .executableTarget(
            name: "assay-dev",
            dependencies: [
                "AssayCommand", "CacheConformance", "CacheCore", "CacheHarness", "CacheMutants", "CacheReference",
                "CacheTraces",
                command("ArgumentParser", "swift-argument-parser"),
            ], swiftSettings: strict),

        .target(
            name: "_CacheTestSupport", dependencies: ["CacheCore"], path: "Tests/_CacheTestSupport",
            swiftSettings: strict),
        tests("CacheCoreTests", ["CacheCore"], isHot: true),
        tests(
            "CachePoliciesTests",
            [
                "CacheCore", "CachePolicies", "PolicySupport", "CacheTraces", "CacheWorkloads", "CacheConformance",
                "CMemoryProbe",
            ]
                + policyFamilies + [.target(name: "LearnedPolicies", condition: .when(traits: ["LightGBM"]))],
            isHot: true),
        tests("CacheTracesTests", ["CacheCore", "CacheTraces"]),
        tests("CacheStorageTests", ["CacheCore", "CacheStorage", "CacheConformance"]),
        tests(
            "CacheEngineTests", ["CacheCore", "CacheEngine", "CachePolicies", "CacheStorage"], isHot: true),
        tests(
            "CacheRecordingTests",
            [
                "CacheCore", "CacheEngine", "CacheEngineRecording", "CachePolicies", "CacheRecording", "CacheTraces",
                "CCacheRecording",
            ], exclude: ["Programs"]),
        tests("CacheStorageSQLiteTests", ["CacheCore", "CacheStorageSQLite", "CacheConformance"]),
        tests("CacheStorageLMDBTests", ["CacheCore", "CacheStorageLMDB", "CacheConformance"]),
        tests("CacheStorageRocksDBTests", ["CacheCore", "CacheStorageRocksDB", "CacheConformance"]),
        tests(
            "CacheStorageServersTests",
            ["CacheCore", "CacheStorageServers", "CacheConformance", servers("NIOCore"), servers("NIOPosix")]),
        tests("CacheStorageFoundationTests", ["CacheCore", "CacheStorageFoundation"]),
        tests(
            "CacheConformanceTests",
            ["CacheCore", "CacheConformance", "CacheReference", "CacheMutants", "CachePolicies"],
            isHot: true),
        tests(
            "CacheConformanceTestingTests", ["CacheCore", "CacheConformance", "CacheConformanceTesting"]),
        tests("CacheKitsTests", ["CacheCore", "CacheConformance", "CacheKits", "CachePolicies"]),
        tests(
            "CacheMutantsTests", ["CacheCore", "CacheConformance", "CacheReference", "CacheMutants", "CachePolicies"],
            isHot: true),
        tests(
            "CacheSystemsTests",
            [
                "CacheCore", "CacheEngine", "CachePolicies", "CacheStorage", "CacheSystems",
                .target(name: "CacheStorageSQLite", condition: .when(traits: ["SQLite"])),
            ]),
        tests(
            "CacheSystemsHTTPTests",
            [
                "CacheCore", "CacheEngine", "CachePolicies", "CacheStorage", "CacheSystems", "CacheSystemsHTTP",
                http("NIOCore"), http("NIOPosix"), http("NIOHTTP1"), http("NIOEmbedded"),
            ]),
        tests(
            "CacheEncryptionTests",
            [
                "CacheCore", "CacheConformance", "CacheEncryption", "CacheEngine", "CachePolicies", "CacheStorage",
                "CacheSystems",
            ]),
        tests(
            "CacheSystemsPackagesTests",
            ["CacheCore", "CacheEngine", "CachePolicies", "CacheStorage", "CacheSystems", "CacheSystemsPackages"]),
        tests(
            "CacheEngineSubjectsTests",
            ["CacheCore", "CachePolicies", "CacheStorage", "CacheConformance", "CacheEngineSubjects"]),
        tests(
            "CacheSystemChecksTests",
            ["CacheCore", "CacheEngine", "CachePolicies", "CacheStorage", "CacheConformance", "CacheSystemChecks"]),
        tests(
            "CacheSystemRunsTests",
            [
                "CacheCore", "CacheHarness", "CachePolicies", "CacheStorage", "CacheSystemChecks", "CacheSystemRuns",
                "CacheSystems", "CacheTraces", "CacheWorkloads",
            ]),
        tests("CacheWorkloadsTests", ["CacheCore", "CacheTraces", "CacheWorkloads"]),
        tests(
            "CacheHarnessTests", ["CacheCore", "CachePolicies", "CacheTraces", "CacheHarness", "CMemoryProbe"]),
        tests("CacheGateTests", ["CacheCore", "CacheGate", "CacheHarness", command("Yams", "Yams")]),
        tests("CacheHistoryTests", ["CacheCore", "CacheGate", "CacheHistory"]),
        tests("CacheReportsTests", ["CacheCore", "CacheGate", "CacheHarness", "CacheReports"]),
        tests("CacheWatchTests", ["CacheCore", "CacheWatch"]),
        tests(
            "CachePluginsTests",
            ["CacheCore", "CacheConformance", "CacheHarness", "CachePlugins", "CachePolicies", "CacheStorage"],
            exclude: ["Plugins"]),
        tests(
            "CommandTests",
            [
                "AssayCommand", "CacheConformance", "CacheCore", "CacheMutants", "CacheReports", "assay",
                "assay-dev",
                command("ArgumentParser", "swift-argument-parser"),
            ]),
        tests("TidyTests", []),
    ]
)

// A build under a sanitizer, or of the tests of one library, leaves the other tests and what only they need out.
if let targets = Context.environment["ASSAY_TEST_TARGETS"]?.split(separator: ",") {
    package.targets.removeAll { $0.isTest && !targets.contains(Substring($0.name)) }
}
