import AssayCommand
import CacheCore
import MyChecks
import MyPolicy
import MyStorage

var plugins = Plugins.builtin
plugins.policies.append(myPolicy)
plugins.backends.append(BackendEntry(MyStorage.self))
plugins.checks += sessionChecks
plugins.commands.append(OnceCommand.self)
await Assay.main(plugins)
