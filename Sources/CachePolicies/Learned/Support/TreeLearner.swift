#if LightGBM
    internal import CacheCore

    /// How trees are grown. What is not named here has LightGBM's default, its seeds too.
    struct TreeSettings: Sendable {
        /// The number of columns of a row.
        var features: Int
        /// The most trees of a model.
        var trees: Int
        /// Further parameters as LightGBM reads them, `name=value` with spaces between.
        var parameters: String

        /// Settings whose trees, leaves and learning rate a policy's parameters say.
        init(_ values: ParameterValues, features: Int, _ more: String) {
            self.features = features
            trees = values.integer("trees")
            parameters =
                "num_iterations=\(trees) num_leaves=\(values.integer("leaves")) "
                + "learning_rate=\(values.number("learning-rate")) \(more)"
        }

        /// Settings of a learner that is not opened yet.
        init() { (features, trees, parameters) = (0, 0, "") }

        /// The parameters that these are read from.
        static func parameters(trees: Int, leaves: Int = 32, rate: Double = 0.1) -> [ParameterSpecification] {
            [
                ParameterSpecification(
                    "trees", .integer(default: trees, 1...1000), "How many trees a model has at most."),
                ParameterSpecification(
                    "leaves", .integer(default: leaves, 2...1024), "How many leaves a tree has at most."),
                ParameterSpecification(
                    "learning-rate", .number(default: rate, 0.001...1), "How much of what is left each tree corrects."),
            ]
        }

        /// One thread and no choice by measured times, so that equal rows give equal models.
        var text: String {
            "objective=regression num_threads=1 deterministic=true force_row_wise=true verbosity=-1 \(parameters)"
        }
    }

    /// Trains gradient boosted trees for one cache with LightGBM, asks them, and measures what both take.
    ///
    /// After a failure of the library it does nothing any more, and the policy that owns it refuses every newcomer (``PolicyContext``).
    /// Unchecked: a cache is used by one thread at a time, and its learner by nobody else.
    final class TreeLearner: PolicyContext, @unchecked Sendable {
        private var library: LightGBMLibrary?
        private var settings = TreeSettings()
        private var parameters = ""
        private var model: LightGBMLibrary.Handle?
        private var isTraining = false
        private(set) var failure: AssayError?
        /// What training and predictions have taken so far.
        private(set) var cost = TrainingCost()

        /// Whether there is a model to ask.
        var isTrained: Bool { model != nil }

        deinit { _ = library?.freeBooster(model) }

        /// The learner of a policy that is being opened: its context, or a new one for a policy that is opened without its entry.
        ///
        /// - Throws: `AssayError` with code `unavailable` without LightGBM's library, and with code `usage` in a live cache, where
        ///   every request would wait for a training.
        static func opened(
            _ configuration: PolicyConfiguration, _ name: String, _ settings: TreeSettings
        ) throws(AssayError) -> TreeLearner {
            guard configuration.plannedResidents == nil else {
                throw AssayError(
                    .usage,
                    "\(name) is simulated only: in a live cache all requests would wait while it trains, and it remembers more objects "
                        + "than a cache has ids for. Replay it by 'assay run' without --backend, or choose another policy."
                )
            }
            let learner = configuration.context as? TreeLearner ?? TreeLearner()
            learner.library = try LightGBMLibrary.shared()
            learner.settings = settings
            learner.parameters = settings.text
            return learner
        }

        /// Replaces the model by one that is trained with a batch.
        ///
        /// - Parameter isEnough: Asked after each tree; true ends the training.
        func train(_ batch: TrainingBatch, until isEnough: () -> Bool = { false }) {
            guard let library, failure == nil else { return }
            let clock = ContinuousClock()
            let start = clock.now
            isTraining = true
            defer {
                isTraining = false
                cost.trainings += 1
                cost.trainingSeconds += (clock.now - start) / .seconds(1)
            }
            _ = library.freeBooster(model)
            model = nil
            var data: LightGBMLibrary.Handle?
            defer { _ = library.freeDataset(data) }
            let rows = batch.rows
            guard
                isDone(
                    library.createDataset(
                        rows.starts, LightGBMLibrary.int32, rows.columns, rows.values, LightGBMLibrary.float64,
                        Int64(rows.starts.count), Int64(rows.values.count), Int64(settings.features), parameters, nil,
                        &data)),
                isDone(
                    library.setField(data, "label", batch.labels, Int32(batch.labels.count), LightGBMLibrary.float32)),
                isDone(library.createBooster(data, parameters, &model))
            else { return }
            var (trees, isFinished): (Int, Int32) = (0, 0)
            while trees < settings.trees, isFinished == 0 {
                guard isDone(library.addTree(model, &isFinished)) else { return }
                trees += 1
                if isEnough() { break }
            }
        }

        /// Predicts a value for each row; the values of an earlier call are overwritten. Nothing changes after a failure.
        func predict(_ rows: FeatureRows, into values: inout [Double]) {
            guard let library, failure == nil, model != nil, rows.count > 0 else { return }
            let clock = ContinuousClock()
            let start = clock.now
            if values.count < rows.count { values = [Double](repeating: 0, count: rows.count) }
            var count: Int64 = 0
            let status = library.predictRows(
                model, rows.starts, LightGBMLibrary.int32, rows.columns, rows.values, LightGBMLibrary.float64,
                Int64(rows.starts.count), Int64(rows.values.count), Int64(settings.features), 0, 0, 0, parameters,
                &count, &values)
            guard isDone(status) else { return }
            // What a training asks to see whether it has trees enough is its own time.
            if !isTraining { cost.predictionSeconds += (clock.now - start) / .seconds(1) }
        }

        /// Whether a call succeeded; the first that did not is the failure.
        private func isDone(_ status: Int32) -> Bool {
            if status != 0, failure == nil {
                failure = AssayError(
                    .unavailable, "LightGBM could not train or predict. Check that its library is of release 4.",
                    cause: library?.lastError())
            }
            return status == 0
        }
    }
#endif
