public import Foundation

/// The folder of exact results and real traces that lies beside a developer's checkout, and not beside a user's clone.
///
/// Tests that need it carry `.enabled(if: SharedFolder.exists, SharedFolder.skippedText)`.
public enum SharedFolder {
    /// The root of this package.
    public static let packageRoot = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `../shared` seen from the package.
    public static let url = packageRoot.deletingLastPathComponent().appending(path: "shared")

    /// Whether the folder is there.
    public static let exists = FileManager.default.fileExists(atPath: url.appending(path: "oracle").path)

    /// What a test that needs the folder says when it is not there.
    public static let skippedText = "skipped: the folder 'shared' with oracles and traces is not beside this checkout"

    /// A file of exact results, as text.
    public static func oracle(_ name: String) throws -> String {
        try String(contentsOf: url.appending(path: "oracle").appending(path: name), encoding: .utf8)
    }

    /// The path of a real trace.
    public static func trace(_ name: String) -> String {
        url.appending(path: "traces").appending(path: name).path
    }
}
