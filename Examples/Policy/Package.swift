// swift-tools-version: 6.2
import PackageDescription

// An eviction policy outside of Assay, and its proof: `swift test` shows one test case for each check.
let package = Package(
    name: "MyPolicy",
    platforms: [.macOS(.v15)],
    products: [.library(name: "MyPolicy", targets: ["MyPolicy"])],
    // Outside of this repository: .package(url: "<where you cloned it from>", branch: "main", traits: [])
    dependencies: [.package(name: "Assay", path: "../..", traits: [])],
    targets: [
        .target(name: "MyPolicy", dependencies: [.product(name: "CacheCore", package: "Assay")]),
        .testTarget(
            name: "MyPolicyTests", dependencies: ["MyPolicy", .product(name: "CacheConformance", package: "Assay")]),
    ]
)
