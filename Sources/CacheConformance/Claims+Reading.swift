import CacheCore

extension CodingUserInfoKey {
    /// Whether the suite claims `timeToLive` itself once claims are read, as it does on a clock that it moves: true.
    package static let claimsTimeToLive = CodingUserInfoKey(rawValue: "claimsTimeToLive")!
}

extension Claims: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case storage, features, room, order, concurrency, faces, formats, deviations, limits
    }

    /// Any member of a document.
    private struct Member: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads claims; what is left out is not claimed, and a store of bytes has its usual limits.
    ///
    /// - Throws: `DecodingError` for a member or a feature that does not exist, since what it was meant to claim would be
    ///   asked by no check, and for a number that no cache can mean.
    public init(from decoder: any Decoder) throws {
        try Self.requireKnown(Key.allCases.map(\.rawValue), in: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        for (key, example) in Self.examples where container.contains(key) {
            if try container.decodeNil(forKey: key) { continue }
            let names = Mirror(reflecting: example).children.compactMap(\.label)
            try Self.requireKnown(names, in: container.superDecoder(forKey: key))
        }
        let features = try container.decodeIfPresent([String].self, forKey: .features) ?? []
        self.init(
            try container.decodeIfPresent(StorageClaims.self, forKey: .storage) ?? StorageClaims(),
            features: Set(try features.flatMap { try Self.features($0, container.codingPath + [Key.features]) }),
            room: try container.decodeIfPresent(CapacityClaim.self, forKey: .room),
            order: try container.decodeIfPresent(String.self, forKey: .order))
        concurrency = try container.decodeIfPresent(Concurrency.self, forKey: .concurrency) ?? Concurrency()
        faces = try container.decodeIfPresent(Int.self, forKey: .faces) ?? 1
        formats = try container.decodeIfPresent(Formats.self, forKey: .formats)
        let stated = try container.decodeIfPresent([String].self, forKey: .deviations) ?? []
        deviations = Set(try stated.map { try Self.deviation($0, container.codingPath + [Key.deviations]) })
        limits = try container.decodeIfPresent(Limits.self, forKey: .limits) ?? Limits()
        // Who may write later does not write at once; a kit claims `writer` for every cache that is given one.
        if claims(.writeBehind) { self.features.remove(.writer) }
        if let fault = fault(in: decoder) {
            throw DecodingError.dataCorrupted(.init(codingPath: container.codingPath, debugDescription: fault))
        }
    }

    /// Values of the types of members, whose properties are the members of these.
    private static var examples: [(Key, any Sendable)] {
        [
            (.storage, StorageClaims()), (.room, CapacityClaim(.objects(1))), (.concurrency, Concurrency()),
            (.formats, Formats(newest: 1, older: [])), (.limits, Limits()),
        ]
    }

    private static func requireKnown(_ names: [String], in decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        for member in container.allKeys.map(\.stringValue).sorted() where !names.contains(member) {
            throw unknown("member", member, among: names, at: container.codingPath)
        }
    }

    /// What a word claims: itself, or what an older word stood for.
    private static func features(_ name: String, _ path: [any CodingKey]) throws -> [Feature] {
        if name == "conditional" { return [.putIfAbsent, .replace, .compareAndSet, .take] }
        if name == "moment" { return [.storedExpiry] }
        if let feature = Feature(rawValue: name) { return [feature] }
        throw unknown("feature", name, among: Feature.allCases.map(\.rawValue), at: path)
    }

    private static func deviation(_ name: String, _ path: [any CodingKey]) throws -> Deviation {
        if let deviation = Deviation(rawValue: name) { return deviation }
        throw unknown("deviation", name, among: Deviation.allCases.map(\.rawValue), at: path)
    }

    private static func unknown(
        _ kind: String, _ name: String, among names: [String], at path: [any CodingKey]
    ) -> DecodingError {
        let near = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        let words = "There is no \(kind) '\(name)'.\(near) There are \(names.joined(separator: ", "))."
        return .dataCorrupted(.init(codingPath: path, debugDescription: words))
    }

    /// What no cache can mean.
    private func fault(in decoder: any Decoder) -> String? {
        let most = 1 << 40
        if !(1...most).contains(storage.keyBytesMax) { return "'storage.keyBytesMax' is a number from 1 to 2^40" }
        if !(1...most).contains(storage.valueBytesMax) { return "'storage.valueBytesMax' is a number from 1 to 2^40" }
        if let room, room.capacity.amount < 1 { return "'room.capacity.amount' is at least 1" }
        if !(2...1_024).contains(concurrency.clientsMax) {
            return "'concurrency.clientsMax' is a number from 2 to 1024"
        }
        if !(1...8).contains(faces) { return "'faces' is a number from 1 to 8" }
        let others: Set<Feature> = decoder.userInfo[.claimsTimeToLive] as? Bool == true ? [.timeToLive] : []
        if let fault = limits.fault ?? pointlessDeviation(of: features.union(others)) { return fault }
        guard let formats else { return nil }
        let versions = formats.older + [formats.newest]
        if versions.contains(where: { !(0...1 << 31).contains($0) }) { return "versions of 'formats' are 0 to 2^31" }
        return formats.older.count > 64 ? "'formats.older' has at most 64 versions" : nil
    }

    /// A deviation of what is not claimed, which would change nothing.
    private func pointlessDeviation(of features: Set<Feature>) -> String? {
        for deviation in Deviation.allCases where deviates(deviation) {
            let concerns = deviation.concerns
            guard !concerns.isEmpty, concerns.isDisjoint(with: features) else { continue }
            let names = concerns.map { "'\($0.rawValue)'" }.sorted().joined(separator: " or ")
            return "the deviation '\(deviation.rawValue)' concerns \(names), which is not claimed; leave it out"
        }
        return nil
    }

    /// Writes every claim, features in the order of their names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(storage, forKey: .storage)
        try container.encode(features.map(\.rawValue).sorted(), forKey: .features)
        try container.encodeIfPresent(room, forKey: .room)
        try container.encodeIfPresent(order, forKey: .order)
        if concurrency != Concurrency() { try container.encode(concurrency, forKey: .concurrency) }
        if faces != 1 { try container.encode(faces, forKey: .faces) }
        try container.encodeIfPresent(formats, forKey: .formats)
        if !deviations.isEmpty { try container.encode(deviations.map(\.rawValue).sorted(), forKey: .deviations) }
        if limits != Limits() { try container.encode(limits, forKey: .limits) }
    }
}
