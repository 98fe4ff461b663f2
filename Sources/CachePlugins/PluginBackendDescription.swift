internal import CAssayPlugin
internal import CacheCore

/// A storage backend of a plug-in: what it is, and its functions.
struct PluginBackendDescription: @unchecked Sendable {
    // The table holds pointers into a library that stays loaded, and functions that any thread may call.
    let table: assay_backend
    let descriptor: BackendDescriptor
    let parameters: PluginParameters
    /// The library's file.
    let path: String

    /// Reads a description.
    ///
    /// - Throws: `AssayError` with code `badInput` that says what is wrong with it.
    init(_ table: assay_backend, number: Int, of path: String) throws(AssayError) {
        guard let name = PluginText.name(table.name) else {
            throw AssayError(.badInput, "Backend \(number) has no name that can be written. \(PluginText.nameRule)")
        }
        let owner = "The backend \(name)"
        guard table.open != nil, table.get != nil, table.put != nil, table.remove != nil, table.remove_all != nil,
            table.count != nil, table.keys != nil, table.close != nil
        else {
            throw AssayError(.badInput, "\(owner) lacks a function: all but flush must be there.")
        }
        guard let summary = PluginText.read(table.summary) else {
            throw AssayError(.badInput, "\(owner) has no summary.")
        }
        guard table.flags & ~ASSAY_NEEDS_DIRECTORY == 0 else {
            throw AssayError(.badInput, "\(owner) has flags that this version of Assay does not know.")
        }
        parameters = try PluginParameters(table.parameters, count: table.parameter_count, of: owner)
        descriptor = BackendDescriptor(
            name: name, summary: summary, citation: PluginText.read(table.citation) ?? "",
            parameters: parameters.specifications, needsDirectory: table.flags & ASSAY_NEEDS_DIRECTORY != 0)
        self.table = table
        self.path = path
    }

    /// The backend as a registry holds it.
    var entry: BackendEntry {
        BackendEntry(descriptor) { (configuration) throws(StoreError) in
            try PluginStorage(configuration, of: self)
        }
    }
}

extension StorageClaims {
    /// What a plug-in's store claims; nil for claims that make no sense.
    init?(_ claims: assay_claims) {
        let levels: [UInt32: DurabilityLevel] = [
            ASSAY_VOLATILE: .volatile, ASSAY_SURVIVES_EXIT: .exit, ASSAY_SURVIVES_KILL: .kill,
            ASSAY_SURVIVES_POWER_CUT: .power,
        ]
        let known =
            ASSAY_ALLOWS_EMPTY_KEY | ASSAY_RETAINS | ASSAY_ITERATES | ASSAY_CONCURRENT | ASSAY_COMPACTS
            | ASSAY_DETECTS_DAMAGE | ASSAY_UNDOES_FAILED_PUTS
        guard let durability = levels[claims.durability], claims.flags & ~known == 0, claims.key_bytes_max > 0 else {
            return nil
        }
        func has(_ flag: UInt32) -> Bool { claims.flags & flag != 0 }
        self.init(
            keyBytesMax: Int(clamping: claims.key_bytes_max), allowsEmptyKey: has(ASSAY_ALLOWS_EMPTY_KEY),
            valueBytesMax: Int(clamping: claims.value_bytes_max), retains: has(ASSAY_RETAINS),
            iterates: has(ASSAY_ITERATES), durability: durability, isConcurrent: has(ASSAY_CONCURRENT),
            compacts: has(ASSAY_COMPACTS), detectsDamage: has(ASSAY_DETECTS_DAMAGE),
            undoesFailedPuts: has(ASSAY_UNDOES_FAILED_PUTS))
    }
}

extension assay_claims {
    /// The claims of an exact map in memory for one thread: what a plug-in's store begins with.
    static var usual: assay_claims {
        let claims = StorageClaims()
        return assay_claims(
            flags: ASSAY_ALLOWS_EMPTY_KEY | ASSAY_RETAINS | ASSAY_ITERATES | ASSAY_UNDOES_FAILED_PUTS,
            durability: ASSAY_VOLATILE, key_bytes_max: UInt64(claims.keyBytesMax),
            value_bytes_max: UInt64(claims.valueBytesMax))
    }
}
