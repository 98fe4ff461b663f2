internal import CacheCore

/// The configurations that a search has been in: which operations were placed, and the state they led to.
///
/// A set of placed operations is kept as the exclusive or of two random words for each of them (Zobrist 1970), so that
/// placing one costs O(1) instead of copying a bit for every operation. Two of n configurations share their 128 bits with a
/// chance of about n² / 2^129: below 10^-23 for ten million.
struct ConfigurationCache {
    /// A set of placed operations in 128 bits.
    struct Fingerprint {
        var low: UInt64 = 0
        var high: UInt64 = 0

        /// The set with an operation put in, or taken out if it was there.
        mutating func toggle(_ operation: Int) {
            let word = UInt64(truncatingIfNeeded: operation)
            low ^= mix64(word &* 2 &+ 0x9E37_79B9_7F4A_7C15)
            high ^= mix64(word &* 2 &+ 0xD1B5_4A32_D192_ED03 ^ 0x8000_0000_0000_0000)
        }
    }

    private var lows = [UInt64](repeating: 0, count: 64)
    private var highs = [UInt64](repeating: 0, count: 64)
    private var count = 0

    /// Puts a configuration in and returns whether it was new.
    mutating func insert(_ placed: Fingerprint, _ state: Int32) -> Bool {
        let stateWord = UInt64(UInt32(bitPattern: state)) &+ 1
        let low = placed.low ^ mix64(stateWord &* 0xA076_1D64_78BD_642F)
        // Two zeros mark a free slot.
        let high = (placed.high ^ mix64(stateWord &* 0xE703_7ED1_A0B4_28DB)) | 1
        guard Self.put(low, high, &lows, &highs) else { return false }
        count += 1
        if count * 3 > lows.count * 2 { grow() }
        return true
    }

    private static func put(_ low: UInt64, _ high: UInt64, _ lows: inout [UInt64], _ highs: inout [UInt64]) -> Bool {
        var slot = Int(truncatingIfNeeded: low) & (lows.count - 1)
        while highs[slot] != 0 {
            if lows[slot] == low, highs[slot] == high { return false }
            slot = (slot + 1) & (lows.count - 1)
        }
        lows[slot] = low
        highs[slot] = high
        return true
    }

    private mutating func grow() {
        var newLows = [UInt64](repeating: 0, count: lows.count * 2)
        var newHighs = newLows
        for slot in lows.indices where highs[slot] != 0 { _ = Self.put(lows[slot], highs[slot], &newLows, &newHighs) }
        (lows, highs) = (newLows, newHighs)
    }
}
