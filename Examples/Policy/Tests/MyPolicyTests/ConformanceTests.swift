import CacheConformance
import MyPolicy
import Testing

@Test(arguments: ConformanceSuite.policy.checks)
func conforms(check: Check) throws {
    try check.require(on: PolicySubject(myPolicy))
}
