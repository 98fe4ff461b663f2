import CacheCore
import Testing

@testable import CacheHarness

@Suite("What disturbs times is said")
struct TimingConditionsTests {
    @Test func `other programs that keep processors busy are named, and a quiet machine is not`() {
        let warning = TimingConditions.loadWarning(othersBusy: 1.66, loadAverage: 0, processors: 2)
        #expect(warning?.hasPrefix("Other programs kept 1.7 of 2 processors busy") == true)
        #expect(TimingConditions.loadWarning(othersBusy: 0.1, loadAverage: 13, processors: 2) == nil)
    }

    @Test func `the load average stands in where the system tells no more`() {
        let warning = TimingConditions.loadWarning(othersBusy: nil, loadAverage: 13, processors: 2)
        #expect(warning?.hasPrefix("The load average was 13.0 on 2 processors") == true)
        #expect(TimingConditions.loadWarning(othersBusy: nil, loadAverage: 2, processors: 2) == nil)
        #expect(TimingConditions.loadWarning(othersBusy: nil, loadAverage: nil, processors: 2) == nil)
    }

    @Test func `measurements that do not repeat are counted among those that were repeated`() {
        let warning = TimingConditions.spreadWarning([[4.6, 16], [10, 11, 9], [3], []])
        #expect(warning?.hasPrefix("1 of 2 repeated measurements scatter") == true)
        #expect(TimingConditions.spreadWarning([[10, 11, 9], [3]]) == nil)
    }

    @Test func `the conditions of this process are known from its start`() {
        #expect(EnvironmentProbe.describe(memoryAllocator: "").loadAverage == TimingConditions.ofProcess.loadAverage)
    }
}
