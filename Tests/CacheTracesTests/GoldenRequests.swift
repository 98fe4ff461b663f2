/// What operations and times gave when they were written, for 1000 objects and seed 42.
enum GoldenRequests {
    static let mixed: [Int] = [-3, -312, 130, 80, 759, 1, -203, -2, 82, 9, 224, -26]
    static let latest: [Int] = [-1000, -1001, 998, 689, 871, 921, -1002, -1003, 241, 1002, 800, 1001]
    static let scans: [Int] = [-1000, 853, 854, 855, 624, 625, 626, 627, 628, 260, -1001, 391]
    static let readModifyWrites: [Int] = [741, -741, 159, -159, 278, 344, 38, 868, 218, -218, 800, -800]
    static let poisson: [Int64] = [0, 6180, 7808, 7987, 9019, 10943]
    static let diurnal: [Int64] = [0, 6180, 7777, 7952, 8959, 10830]
    static let bursts: [Int64] = [0, 4120, 5205, 5325, 6012, 7295]
}
