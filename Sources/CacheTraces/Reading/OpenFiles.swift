/// Which files the descriptors of processes are, and how far each was read.
struct OpenFiles {
    /// A file as one call opened it; descriptors that were duplicated share it.
    struct File {
        /// Nil if the name is not known.
        var path: [UInt8]?
        /// Where the next read or write begins, in bytes; nil if that is not known.
        var position: UInt64?
    }

    private struct Held {
        var file: File
        var holders = 1
    }

    /// The most descriptors of all processes, and the most processes.
    private static let countMax = 1 << 16

    private var files: [Int: Held] = [:]
    private var nextFile = 0
    private var tables: [Int: [Int64: Int]] = [:]
    private var nextTable = 0
    private var tableOfProcess: [UInt64: Int] = [:]
    private var descriptors = 0

    /// Whether a process has made calls.
    func isKnown(_ process: UInt64) -> Bool { tableOfProcess[process] != nil }

    /// The file of a descriptor; nil if it is not known.
    func file(_ number: Int64, of process: UInt64) -> File? { place(number, process).flatMap { files[$0]?.file } }

    private func place(_ number: Int64, _ process: UInt64) -> Int? {
        tableOfProcess[process].flatMap { tables[$0]?[number] }
    }

    /// A descriptor is a file that was just opened.
    mutating func open(_ file: File, as number: Int64, of process: UInt64) throws(LineFault) {
        close(number, of: process)
        files[nextFile] = Held(file: file)
        try hold(nextFile, as: number, in: try table(process))
        nextFile += 1
    }

    /// A descriptor is closed, if it was open.
    mutating func close(_ number: Int64, of process: UInt64) {
        guard let table = tableOfProcess[process], let place = tables[table]?.removeValue(forKey: number) else {
            return
        }
        release(place)
    }

    /// A descriptor is the file of another one.
    mutating func duplicate(_ number: Int64, as copy: Int64, of process: UInt64) throws(LineFault) {
        guard number != copy else { return }
        close(copy, of: process)
        guard let place = place(number, process) else { return }
        files[place]?.holders += 1
        try hold(place, as: copy, in: try table(process))
    }

    /// The next read or write begins elsewhere, nil if it is not known where.
    mutating func seek(_ number: Int64, to position: UInt64?, of process: UInt64) {
        guard let place = place(number, process) else { return }
        files[place]?.file.position = position
    }

    /// So many bytes were read or written.
    mutating func advance(_ number: Int64, by bytes: UInt64, of process: UInt64) {
        guard let place = place(number, process), let position = files[place]?.file.position else { return }
        let (next, overflow) = position.addingReportingOverflow(bytes)
        files[place]?.file.position = overflow ? nil : next
    }

    /// A process has a child, which has copies of its descriptors or shares them.
    mutating func fork(_ process: UInt64, as child: UInt64, sharing: Bool) throws(LineFault) {
        guard !isKnown(child), process != child else { return }
        guard sharing else {
            let own = try table(child)
            for (number, place) in tableOfProcess[process].flatMap({ tables[$0] }) ?? [:] {
                files[place]?.holders += 1
                try hold(place, as: number, in: own)
            }
            return
        }
        try check()
        tableOfProcess[child] = try table(process)
    }

    /// A process ended, and its descriptors with it.
    mutating func end(_ process: UInt64) {
        guard let table = tableOfProcess.removeValue(forKey: process),
            !tableOfProcess.values.contains(table), let places = tables.removeValue(forKey: table)
        else { return }
        for place in places.values { release(place) }
    }

    private mutating func table(_ process: UInt64) throws(LineFault) -> Int {
        if let table = tableOfProcess[process] { return table }
        try check()
        tables[nextTable] = [:]
        tableOfProcess[process] = nextTable
        nextTable += 1
        return nextTable - 1
    }

    private mutating func hold(_ place: Int, as number: Int64, in table: Int) throws(LineFault) {
        try check()
        tables[table]?[number] = place
        descriptors += 1
    }

    private mutating func release(_ place: Int) {
        descriptors -= 1
        files[place]?.holders -= 1
        if files[place]?.holders == 0 { files[place] = nil }
    }

    private func check() throws(LineFault) {
        guard descriptors < Self.countMax, tableOfProcess.count < Self.countMax else {
            throw LineFault(expected: "at most \(Self.countMax) descriptors and processes that are open at once")
        }
    }
}
