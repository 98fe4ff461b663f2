import CacheConformance
import CacheCore
import Foundation
import Synchronization
import Testing

/// Stores of one file a write, the newest of which counts, as bitcasks have segments.
@Suite("Clears and chores that a kill cuts short")
struct KilledChoresTests {
    enum Fault: String, CaseIterable {
        /// A clear begins with the newest file, which may be the removal of what an older one holds.
        case clearsNewestFirst
        /// What a compaction that was cut short has written is taken into the next one (semidbm 0.5.1; AlCalzone/jsonl-db#189).
        case mergesRests
        /// What a compaction that was cut short has left stops every later one (weaviate/weaviate#1697).
        case stopsAtRests
    }

    private struct Subject: CacheSubject {
        let fault: Fault?
        var name: String { fault?.rawValue ?? "twin" }
        let needsDirectory = true
        private let home = ProcessInfo.processInfo.processIdentifier

        init(fault: Fault?) { self.fault = fault }

        func claims() -> Claims {
            Claims(StorageClaims(keyBytesMax: 100, valueBytesMax: 1 << 16, iterates: false, durability: .kill))
        }

        func open(_ setup: CacheSetup, in directory: String?) -> any CacheInstance {
            Instance(directory!, fault, isToBeKilled: ProcessInfo.processInfo.processIdentifier != home)
        }
    }

    private final class Instance: CacheInstance {
        private let (directory, fault): (String, Fault?)
        private let isToBeKilled: Bool
        private let isClosed = Mutex(false)
        private var rests: String { directory + "/rests" }

        init(_ directory: String, _ fault: Fault?, isToBeKilled: Bool) {
            (self.directory, self.fault, self.isToBeKilled) = (directory, fault, isToBeKilled)
        }

        /// Longer than the latest kill takes to come: it finds the first file of a chore or a clear done and the next one not.
        private func rest() {
            if isToBeKilled { Thread.sleep(forTimeInterval: 0.4) }
        }

        private func files(in directory: String) -> [(number: Int, path: String)] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return names.compactMap { name in Int(name).map { ($0, "\(directory)/\(name)") } }.sorted { $0.0 < $1.0 }
        }

        /// Length of the key, the key, and one more byte and the value, or nothing for a removal.
        private func append(_ key: [UInt8], _ value: [UInt8]?, in directory: String) {
            try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let path = "\(directory)/\((files(in: directory).last?.number ?? 0) + 1)"
            let record = [UInt8(key.count)] + key + (value.map { [1] + $0 } ?? [])
            try? Data(record).write(to: URL(filePath: path), options: .atomic)
        }

        private func entries(in directory: String) -> [[UInt8]: [UInt8]] {
            var entries: [[UInt8]: [UInt8]] = [:]
            for (_, path) in files(in: directory) {
                guard let bytes = FileManager.default.contents(atPath: path).map(Array.init), let length = bytes.first
                else { continue }
                let rest = bytes.dropFirst(1 + Int(length))
                entries[Array(bytes[1..<1 + Int(length)])] = rest.isEmpty ? nil : Array(rest.dropFirst())
            }
            return entries
        }

        private func compact() -> OperationResult {
            if fault == .stopsAtRests, FileManager.default.fileExists(atPath: rests) {
                return .failure(StoreError(.inputOutput, "there are rests of a compaction"))
            }
            if fault != .mergesRests { try? FileManager.default.removeItem(atPath: rests) }
            for (key, value) in entries(in: directory).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                append(key, value, in: rests)
                rest()
            }
            for (key, value) in entries(in: rests) { append(key, value, in: directory) }
            try? FileManager.default.removeItem(atPath: rests)
            return .done
        }

        func perform(_ operation: CacheOperation) -> OperationResult {
            if isClosed.withLock({ $0 }), operation != .close { return .failure(.closed) }
            switch operation {
            case .put(let key, _, _, _): append(key, operation.entry!.value, in: directory)
            case .remove(let key):
                let isThere = entries(in: directory)[key] != nil
                append(key, nil, in: directory)
                return .flag(isThere)
            case .get(let key): return .entry(entries(in: directory)[key].map { StoredEntry($0) })
            case .contains(let key): return .flag(entries(in: directory)[key] != nil)
            case .removeAll:
                let all = files(in: directory)
                for (_, path) in fault == .clearsNewestFirst ? all.reversed() : all {
                    try? FileManager.default.removeItem(atPath: path)
                    rest()
                }
            case .maintain: return compact()
            case .close: isClosed.withLock { $0 = true }
            case .flush: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        }
    }

    @Test func `are noticed where something comes back by them or goes on failing, and not where nothing does`() throws
    {
        let check = try #require(ConformanceSuite.cache.check("FLT-8"))
        for fault in Fault.allCases {
            let outcome = check.run(on: Subject(fault: fault), seed: 1).outcome
            #expect(outcome.name == "fail", "\(outcome) of \(fault)")
        }
        #expect(check.run(on: Subject(fault: nil), seed: 1).outcome == .pass)
    }
}
