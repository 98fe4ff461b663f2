// swift-tools-version: 6.2
import PackageDescription

// A cache outside of Assay, and its proof: `swift test` asks it each check in a process of its own.
let package = Package(
    name: "MyCache",
    platforms: [.macOS(.v15)],
    products: [.library(name: "MyCache", targets: ["MyCache"])],
    // Outside of this repository: .package(url: "<where you cloned it from>", branch: "main", traits: [])
    dependencies: [.package(name: "Assay", path: "../..", traits: [])],
    targets: [
        .target(name: "MyCache"),
        .testTarget(
            name: "MyCacheTests",
            dependencies: [
                "MyCache", .product(name: "CacheConformance", package: "Assay"),
                .product(name: "CacheConformanceTesting", package: "Assay"),
                .product(name: "CacheCore", package: "Assay"),
            ]),
    ]
)
