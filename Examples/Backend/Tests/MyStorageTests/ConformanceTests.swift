import CacheConformance
import MyStorage
import Testing

@Test(arguments: ConformanceSuite.storage.checks)
func conforms(check: Check) throws {
    try check.require(on: StorageSubject(MyStorage.self))
}
