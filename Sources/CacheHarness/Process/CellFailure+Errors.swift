public import CacheCore
internal import Foundation

extension CellFailure {
    /// The failure that an error of a measuring process stands for.
    ///
    /// What the machine had none left of, such as file descriptors or space, is told by the error number in the error's words: it
    /// says nothing about the combination.
    public init(_ error: AssayError) {
        let text = error.description
        let lacks = Self.scarce.contains { number in
            text.contains("(errno \(number))") || text.contains(String(cString: strerror(number)))
        }
        self.init(lacks ? .lackedResource : error.code == .crashed ? .crashed : .failed, text)
    }

    private static let scarce = [EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT]
}
