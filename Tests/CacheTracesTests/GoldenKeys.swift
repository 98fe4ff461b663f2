import CacheTraces

/// What each generator gave when it was written, for 1000 objects and seed 42.
enum GoldenKeys {
    static let all: [(AccessPattern, [UInt64])] = [
        (.uniform, [741, 159, 278, 344, 38, 868, 218, 800, 339, 618]),
        (.zipf(exponent: 0), [258, 840, 721, 655, 961, 131, 781, 199, 660, 381]),
        (.zipf(exponent: 0.7), [25, 597, 383, 292, 890, 6, 483, 14, 297, 67]),
        (.zipf(exponent: 1), [3, 300, 123, 75, 751, 0, 193, 1, 77, 9]),
        (.zipf(exponent: 1.2), [1, 109, 33, 19, 538, 0, 59, 0, 19, 2]),
        (.loop, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (
            .scan(hotObjects: 100, exponent: 1, hotRequests: 4, scanLength: 3),
            [1, 43, 23, 16, 100, 101, 102, 81, 0, 31]
        ),
        (.hotspot(hotObjects: 50, hotShare: 0.8), [7, 17, 43, 40, 30, 24, 26, 10, 24, 34]),
        (.shifting(exponent: 1, period: 4, shift: 100), [3, 300, 123, 75, 851, 100, 293, 101, 277, 209]),
    ]
}
