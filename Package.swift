// swift-tools-version: 6.2
import PackageDescription

// Every library stands on CacheCore alone; only the `assay` command and the tests know concrete plug-ins.
// Packages that are heavy to build sit behind two traits, on by default so that `swift build` makes the command:
// a package that only wants CacheCore, CachePolicies or CacheConformance writes `traits: []` and resolves none of them.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["_CacheTestSupport"], exclude: exclude, resources: resources,
        swiftSettings: strict)
}

func command(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["CommandLine"]))
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
    ],
    traits: [
        .trait(name: "CommandLine", description: "The assay command with its harness, reports and workloads."),
        .trait(name: "SQLite", description: "The SQLite storage backend, over GRDB."),
        .default(enabledTraits: ["CommandLine", "SQLite"]),
    ],
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0")
    ],
    targets: [
        // C shims and system libraries: headers only.
        .target(name: "CPrefetch"),
        .target(name: "CMemoryProbe"),
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        system("CZstd", "libzstd", apt: "libzstd-dev"),
        system("CLzma", "liblzma", apt: "liblzma-dev"),

        library("CacheCore", ["CPrefetch"]),
        library("CachePolicies", ["CacheCore"]),
        library("CacheHarness", ["CacheCore", "CMemoryProbe", command("Histogram", "hdrhistogram-swift")]),

        .target(
            name: "_CacheTestSupport", dependencies: ["CacheCore"], path: "Tests/_CacheTestSupport",
            swiftSettings: strict),
        tests("CacheCoreTests", ["CacheCore"]),
        tests("CacheHarnessTests", ["CacheCore", "CachePolicies", "CacheHarness", "CMemoryProbe"]),
        tests("TidyTests", []),
    ]
)
