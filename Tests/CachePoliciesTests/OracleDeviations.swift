/// The cells that cannot be equal, each with the reference's reason.
enum OracleDeviations {
    /// Why a cell differs, nil if it must be equal.
    static func reason(_ cell: OracleCell) -> String? { nil }
}
