import AssayCommand

// The whole of assay, and what only developers and scripts use.
var plugins = Plugins.builtin
plugins.subjects += [.reference, .harmless]
plugins.commands += [
    MutantsCommand.self,
    MeasureGenerateCommand.self,
    MeasureHistoryCommand.self,
    MeasureMachineCommand.self,
    MeasurePeerCommand.self,
    MeasureProofCommand.self,
    MeasureReplayCommand.self,
    MeasureSoakCommand.self,
]
await Assay.main(plugins)
