import Testing

@testable import AdmissionPolicies

/// Small numbers for objects that are known by hashes.
struct IdentitySlotsTests {
    /// Against an object's number by a dictionary that never gives one back while it is held.
    @Test func `an object has one number while it is remembered and shares it with none`() {
        var slots = IdentitySlots()
        var held: [UInt64: UInt32] = [:]
        var most = 0
        var state: UInt64 = 1
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let identity = (state >> 33) % 50 &* 0x9E37_79B9_7F4A_7C15
            if state >> 60 < 5, let slot = held.removeValue(forKey: identity) {
                slots.release(slot)
                continue
            }
            let slot = slots.slot(of: identity)
            if let known = held[identity] { #expect(slot == known) }
            held[identity] = slot
            most = max(most, held.count)
            #expect(slot < most, "numbers that are free are given again before there are new ones")
        }
        #expect(Set(held.values).count == held.count)
    }
}
