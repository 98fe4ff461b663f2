// swift-tools-version: 6.2
import PackageDescription

// Where Assay was cloned to; a url: and a branch: do as well.
let assay = Context.environment["ASSAY_PACKAGE"] ?? "../Assay"

let package = Package(
    name: "subject",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Assay", path: assay, traits: [])],
    targets: [
        .executableTarget(
            name: "subject",
            dependencies: [
                .product(name: "CacheConformance", package: "Assay"), .product(name: "CacheCore", package: "Assay"),
            ], path: ".", exclude: ["README.md"], sources: ["main.swift"])
    ]
)
