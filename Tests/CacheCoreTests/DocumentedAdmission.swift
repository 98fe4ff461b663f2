import CacheCore

/// Lets every n-th missed object in.
struct EveryNthAdmission: AdmissionPolicy {
    private let n: Int
    private var misses = 0

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mine", family: "admission", summary: "Lets every n-th missed object in.", citation: "None",
            parameters: [
                ParameterSpecification("n", .integer(default: 2, 1...1_000_000), "Of how many misses one is admitted.")
            ])
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        n = configuration.parameters.integer("n")
    }

    mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        misses = (misses + 1) % n
        return misses == 0
    }
}
