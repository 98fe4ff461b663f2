public import CacheCore
internal import Foundation

extension CellFailure {
    /// The failure that an error of a measuring process stands for.
    ///
    /// What the machine had none left of, such as file descriptors or space, says nothing about the combination. A store's failure
    /// tells it by its code and error number; other errors by the error number in their words.
    public init(_ error: AssayError) {
        let text = error.description
        let kind: Kind =
            switch error.storage?.code {
            case .full: .lackedResource
            case .hung: .hung
            case _ where Self.lacksResource(error.storage?.errno, text): .lackedResource
            default: error.code == .crashed ? .crashed : .failed
            }
        self.init(kind, text)
    }

    private static func lacksResource(_ code: Int32?, _ text: String) -> Bool {
        if let code { return scarce.contains(code) }
        return scarce.contains { text.contains("(errno \($0))") || text.contains(String(cString: strerror($0))) }
    }

    private static let scarce = [EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT]
}
