// swift-tools-version: 6.2
import PackageDescription

// Checks outside of Assay: a section of the conformance suite in one file, asked of any cache.
let package = Package(
    name: "MyChecks",
    platforms: [.macOS(.v15)],
    products: [.library(name: "MyChecks", targets: ["MyChecks"])],
    // Outside of this repository: .package(url: "<where you cloned it from>", branch: "main", traits: [])
    dependencies: [
        .package(name: "Assay", path: "../..", traits: []), .package(name: "MyStorage", path: "../Backend"),
    ],
    targets: [
        .target(name: "MyChecks", dependencies: [.product(name: "CacheConformance", package: "Assay")]),
        .testTarget(
            name: "MyChecksTests",
            dependencies: [
                "MyChecks", .product(name: "MyStorage", package: "MyStorage"),
                .product(name: "CacheConformance", package: "Assay"),
                .product(name: "CacheCore", package: "Assay"),
            ]),
    ]
)
