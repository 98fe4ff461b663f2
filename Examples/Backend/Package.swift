// swift-tools-version: 6.2
import PackageDescription

// A storage backend outside of Assay, and its proof: `swift test` shows one test case for each check.
let package = Package(
    name: "MyStorage",
    platforms: [.macOS(.v15)],
    products: [.library(name: "MyStorage", targets: ["MyStorage"])],
    // Outside of this repository: .package(url: "<where you cloned it from>", branch: "main", traits: [])
    dependencies: [.package(name: "Assay", path: "../..", traits: [])],
    targets: [
        .target(name: "MyStorage", dependencies: [.product(name: "CacheCore", package: "Assay")]),
        .testTarget(
            name: "MyStorageTests",
            dependencies: ["MyStorage", .product(name: "CacheConformance", package: "Assay")]),
    ]
)
