import CacheCore
import Synchronization

/// An instance with several faces: one client asks them in turns, and each of several clients asks its own.
final class FacedInstance: CacheInstance {
    /// The number of the client that runs on this thread; nil where there is one alone.
    @TaskLocal static var client: Int?

    private let instance: any CacheInstance
    private let setup: CacheSetup
    private let asked = Atomic(0)

    private init(_ instance: any CacheInstance, _ setup: CacheSetup) { (self.instance, self.setup) = (instance, setup) }

    /// An instance that is asked by as many faces as its setup says.
    static func of(_ instance: any CacheInstance, _ setup: CacheSetup) -> any CacheInstance {
        setup.faces == nil ? instance : FacedInstance(instance, setup)
    }

    func perform(_ operation: CacheOperation) -> OperationResult {
        let turn = Self.client ?? asked.add(1, ordering: .relaxed).oldValue
        return instance.perform(operation, face: setup.face(inTurn: turn))
    }
}

extension CacheSetup {
    /// The face whose turn it is, after so many operations or for the client of that number.
    func face(inTurn turn: Int) -> Int { turn % max(1, faces ?? 1) }
}
