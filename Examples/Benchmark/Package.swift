// swift-tools-version: 6.2
import PackageDescription

// The assay command with a policy, a backend and a subcommand of one's own: `swift run benchmark list policies mine`.
let package = Package(
    name: "MyBenchmark",
    platforms: [.macOS(.v15)],
    // Outside of this repository: .package(url: "<where you cloned it from>", branch: "main")
    dependencies: [
        .package(name: "Assay", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(name: "MyChecks", path: "../Checks"),
        .package(name: "MyPolicy", path: "../Policy"),
        .package(name: "MyStorage", path: "../Backend"),
    ],
    targets: [
        .executableTarget(
            name: "benchmark",
            dependencies: [
                .product(name: "AssayCommand", package: "Assay"), .product(name: "CacheCore", package: "Assay"),
                .product(name: "CacheTraces", package: "Assay"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"), "MyChecks", "MyPolicy",
                "MyStorage",
            ]),
        .testTarget(name: "BenchmarkTests", dependencies: ["benchmark"]),
    ]
)
