#if LightGBM
    /// Rows of features without their zeros, as LightGBM takes them: compressed sparse rows of 12 bytes a feature.
    struct FeatureRows {
        /// Where each row begins among the values, and where the last one ends.
        private(set) var starts: [Int32] = [0]
        /// The column of each value.
        private(set) var columns: [Int32] = []
        /// The values of all rows, one after another.
        private(set) var values: [Double] = []

        /// The number of rows that are complete.
        var count: Int { starts.count - 1 }

        /// Adds a feature to the row that is being written. Columns must ascend within a row.
        @inline(__always)
        mutating func add(_ value: Double, at column: Int) {
            guard value != 0 else { return }
            columns.append(Int32(truncatingIfNeeded: column))
            values.append(value)
        }

        /// Completes a row.
        @inline(__always)
        mutating func endRow() { starts.append(Int32(truncatingIfNeeded: values.count)) }

        /// Adds a row of all its features.
        mutating func add(_ row: [Double]) {
            for (column, value) in row.enumerated() { add(value, at: column) }
            endRow()
        }

        /// Empties the rows and keeps their memory.
        mutating func removeAll() {
            starts.removeSubrange(1...)
            columns.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
        }

        /// The features of a row by column, for tests: columns without a value are 0.
        func row(_ number: Int, features: Int) -> [Double] {
            var row = [Double](repeating: 0, count: features)
            for place in Int(starts[number])..<Int(starts[number + 1]) { row[Int(columns[place])] = values[place] }
            return row
        }
    }

    /// Rows of features with the value that a model is to predict for each.
    struct TrainingBatch {
        /// The features.
        var rows = FeatureRows()
        /// What followed, a value a row.
        private(set) var labels: [Float] = []

        /// The number of rows.
        var count: Int { labels.count }

        /// Completes a row whose features were added to ``rows``.
        mutating func endRow(label: Double) {
            rows.endRow()
            labels.append(Float(label))
        }

        /// Adds a row of all its features.
        mutating func add(_ row: [Double], label: Double) {
            for (column, value) in row.enumerated() { rows.add(value, at: column) }
            endRow(label: label)
        }

        /// Empties the batch and keeps its memory.
        mutating func removeAll() {
            rows.removeAll()
            labels.removeAll(keepingCapacity: true)
        }
    }
#endif
