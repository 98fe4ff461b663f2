import CacheConformance
import CacheConformanceTesting
import Testing

@Test(arguments: ConformanceSuite.cache.checks)
func conforms(check: Check) throws {
    try conform(Subject(), to: check, .inChildProcess)
}
