internal import CacheCore

/// The two layouts of VMware's vscsiStats traces, little-endian.
enum VSCSILayout: CaseIterable {
    /// u16 command, u16 version, u32 number, u32 bytes, u32 parts, u64 block, u64 microseconds, u64 response time.
    case second
    /// u32 number, u32 bytes, u32 parts, u16 command, u16 version, u64 block, u64 microseconds.
    case first

    var width: Int { self == .first ? 32 : 40 }
    private var version: UInt16 { self == .first ? 1 : 2 }
    private var commandOffset: Int { self == .first ? 12 : 0 }
    private var bytesOffset: Int { self == .first ? 4 : 8 }

    /// The version field of a record is that of the layout.
    func isVersion(_ record: UnsafeRawPointer) -> Bool { record.little(commandOffset + 2, UInt16.self) >> 8 == version }
    /// The SCSI command.
    func command(_ record: UnsafeRawPointer) -> UInt16 { record.little(commandOffset, UInt16.self) }
    /// The length of the request, in bytes.
    func bytes(_ record: UnsafeRawPointer) -> UInt32 { record.little(bytesOffset, UInt32.self) }
    /// The first block, of 512 bytes.
    func block(_ record: UnsafeRawPointer) -> UInt64 { record.little(16, UInt64.self) }
    /// The time, in microseconds.
    func microseconds(_ record: UnsafeRawPointer) -> UInt64 { record.little(24, UInt64.self) }

    /// The layout of which all records of a sample are, nil if there is none.
    init?(_ sample: TraceSample) {
        let found = Self.allCases.first { layout in
            sample.areRecords(of: layout.width, least: 1) { layout.isVersion($0) }
        }
        guard let found else { return nil }
        self = found
    }

    /// What a SCSI command does; nil if it moves no blocks.
    static func operation(_ command: UInt16) -> TraceOperation? {
        switch command {
        case 0x08, 0x28, 0x88, 0xa8, 0x2d: .read
        case 0x0a, 0x2a, 0x2e, 0x3f, 0x8a, 0x8e, 0x9a, 0x9c, 0xaa, 0xae: .write
        default: nil
        }
    }
}
