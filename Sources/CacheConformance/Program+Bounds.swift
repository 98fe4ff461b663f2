import CacheCore

/// What a program that is read from a file may ask for. Every limit is checked before anything is made of what it bounds.
enum ProgramBounds {
    /// How many operations there may be, those within others counted.
    static let operationsMax = 1 << 20
    /// How deep operations may lie in each other, as in `meanwhile` of a load that is itself done meanwhile.
    static let depthMax = 8
    /// How long one value may be, in bytes.
    static let valueBytesMax = 1 << 27
    /// How many bytes all values that are described by their length may have together.
    static let bytesMax = 1 << 27

    /// Why a program is not run; nil for one within the bounds.
    ///
    /// Costs, times and steps are added up over the whole program, so that no sum of them overflows, whoever makes it.
    static func fault(in program: Program) -> String? {
        var sums = Sums()
        let setup = program.setup
        let times = [
            setup.timeToLiveNanoseconds, setup.timeToIdleNanoseconds, setup.staleNanoseconds, setup.refreshNanoseconds,
            setup.nowNanoseconds,
        ]
        if times.contains(where: { $0.map { $0 < 0 } ?? false }) { return "a time of 'open' is below 0" }
        if let amount = setup.capacity?.amount, amount < 0 { return "the capacity of 'open' is below 0" }
        sums.time = setup.nowNanoseconds ?? 0
        for (index, operation) in program.operations.enumerated() {
            if let fault = sums.add(operation, depth: 0) {
                return "operation \(index + 1), '\(operation.name)': \(fault)"
            }
        }
        return nil
    }

    private struct Sums {
        var time: Int64 = 0
        private var wall: Int64 = 0
        private var cost = 0
        private var bytes = 0
        private var operations = 0

        init() {}

        /// Adds what an operation asks for; says what is beyond a bound.
        mutating func add(_ operation: CacheOperation, depth: Int) -> String? {
            operations += 1
            if operations > operationsMax { return "a program has at most \(operationsMax) operations" }
            if depth > depthMax { return "operations lie at most \(depthMax) deep in each other" }
            switch operation {
            case .advance(let step), .sleep(let step):
                if step < 0 { return "time does not go back; an amount is at least 0" }
                if Self.overflows(&time, step) { return "the clock would pass 2^63 nanoseconds" }
            case .moveWallClock(let step):
                if step == .min || Self.overflows(&wall, abs(step)) {
                    return "the wall clock would pass 2^63 nanoseconds"
                }
            case .pause(let time), .listen(.slow(let time)):
                if !(0...1_000).contains(time) { return "a pause is 0 to 1000 milliseconds" }
            case .loadMany(_, _, let sequence):
                if !(0...1 << 32).contains(sequence) { return "'sequence' is a number from 0 to 2^32" }
            case .listen(.reenters(let inner)), .within(_, let inner):
                if let fault = add(inner, depth: depth + 1) { return fault }
            case .load(_, let origin):
                for step in origin.meanwhile {
                    if let fault = add(step, depth: depth + 1) { return fault }
                }
            default: break
            }
            return addCost(of: operation) ?? addPayloads(of: operation)
        }

        private mutating func addCost(of operation: CacheOperation) -> String? {
            let cost = OperationLine(operation).terms?.cost ?? 1
            return cost == .min || Self.overflows(&self.cost, abs(cost)) ? "the costs add up to 2^63 or more" : nil
        }

        private mutating func addPayloads(of operation: CacheOperation) -> String? {
            let line = OperationLine(operation)
            let items = line.operation == "putMany" ? line.items ?? [] : []
            for case .described(_, let count)? in [line.payload, line.expectedPayload] + items.map(\.payload) {
                if !(0...valueBytesMax).contains(count) { return "a value has 0 to \(valueBytesMax) bytes" }
                bytes += count
                if bytes > bytesMax { return "the values have more than \(bytesMax) bytes together" }
            }
            return nil
        }

        private static func overflows<Number: FixedWidthInteger>(_ sum: inout Number, _ step: Number) -> Bool {
            let (new, overflow) = sum.addingReportingOverflow(step)
            if !overflow { sum = new }
            return overflow
        }
    }
}
