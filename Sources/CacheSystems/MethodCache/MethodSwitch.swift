internal import Synchronization

/// Switches memoisation on and off while the program runs: results are the same either way.
///
/// While a cache is off its functions are called every time, and nothing is read or stored. What was stored before stays and
/// is served again, if it is still valid, when the cache is switched on.
public enum MethodSwitch {
    private static let state = Atomic(true)

    /// Whether caches of methods work at all; each can be switched off by itself too. True unless set.
    public static var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}
