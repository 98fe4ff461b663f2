import AssayCommand
import CacheCore
import MyPolicy
import MyStorage

var plugins = Plugins.builtin
plugins.policies.append(myPolicy)
plugins.backends.append(BackendEntry(MyStorage.self))
plugins.commands.append(OnceCommand.self)
await Assay.main(plugins)
