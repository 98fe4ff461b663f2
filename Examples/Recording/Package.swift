// swift-tools-version: 6.2
import PackageDescription

// A program that records what its cache is asked: `swift run shop recordings/pages`.
let package = Package(
    name: "MyShop",
    platforms: [.macOS(.v15)],
    // Outside of this repository: .package(url: "<where you cloned it from>", branch: "main", traits: [])
    dependencies: [.package(name: "Assay", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "shop",
            dependencies: [
                .product(name: "CacheCore", package: "Assay"), .product(name: "CacheEngine", package: "Assay"),
                .product(name: "CachePolicies", package: "Assay"), .product(name: "CacheRecording", package: "Assay"),
                .product(name: "CacheEngineRecording", package: "Assay"),
            ]),
        .testTarget(
            name: "ShopTests",
            dependencies: [
                "shop", .product(name: "CacheCore", package: "Assay"),
                .product(name: "CachePolicies", package: "Assay"),
                .product(name: "CacheTraces", package: "Assay"),
            ]),
    ]
)
