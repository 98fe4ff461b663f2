import CacheCore
import CacheHarness
import CacheTraces
import Foundation

/// Writes an Apache Parquet table with the columns of `csv`, through the Python package pyarrow.
///
/// The rows go as CSV through a file beside the table, so that memory stays bounded. Times and times to live are in nanoseconds; keys
/// are numbers where all of the trace's are, otherwise bytes.
struct ParquetTraceWriter: TraceWriter {
    let descriptor = TraceWriterDescriptor(
        name: "parquet", summary: "Apache Parquet with the columns of csv, through the Python package pyarrow.",
        fileExtensions: ["parquet"])

    private static let pythonMissing: Int32 = 127
    private static let packageMissing: Int32 = 69

    func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw AssayError(
                .inputOutput, "The file is there already; remove it or choose another name.", at: .init(path))
        }
        let table = path + ".csv-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: table) }
        let rows = TraceRows(trace, inNanoseconds: true)
        try rows.write(to: table)
        let hasTextKeys = trace.columns.keys == nil
        let child = ChildProcess(
            executable: "/usr/bin/env",
            arguments: ["python3", "-c", Self.script, table, path, hasTextKeys ? "binary" : "uint64"],
            deadlineSeconds: 120 + Double(trace.requests) / 100_000)
        let (outcome, errors) = child.run(input: [], isStopping: { false })
        guard case .exited(status: 0, output: _) = outcome else { throw Self.failure(outcome, errors, path) }
    }

    func losses(of trace: CompiledTrace) -> [String] { [] }

    private static func failure(_ outcome: ChildProcess.Outcome, _ errors: String, _ path: String) -> AssayError {
        let install = "Install it by 'pip install pyarrow' in the environment whose python3 comes first in PATH."
        switch outcome {
        case .exited(status: pythonMissing, output: _), .notStarted:
            return AssayError(
                .unavailable, "Parquet needs python3 with the package pyarrow. \(install)", at: .init(path))
        case .exited(status: packageMissing, output: _):
            return AssayError(.unavailable, "Parquet needs the Python package pyarrow. \(install)", at: .init(path))
        case .hung:
            return AssayError(.unavailable, "Python did not write the table in time, and was ended.", at: .init(path))
        default:
            return AssayError(
                .inputOutput, "Python could not write the table.", at: .init(path), cause: errors.isEmpty ? nil : errors
            )
        }
    }

    /// Copies the rows into a new file, which gets its name when it is whole.
    private static let script = """
        import os, sys
        try:
            import pyarrow as pa, pyarrow.csv as csv, pyarrow.parquet as parquet
        except ImportError:
            sys.exit(69)
        table, path, key = sys.argv[1:]
        types = {"key": getattr(pa, key)(), "time_ns": pa.int64(), "ttl_ns": pa.int64(), "size": pa.uint64(),
                 "cost": pa.float64(), "op": pa.string(), "tenant": pa.binary()}
        unfinished = f"{path}.unfinished-{os.getpid()}"
        target = open(unfinished, "xb")
        try:
            rows = csv.open_csv(table, parse_options=csv.ParseOptions(newlines_in_values=True),
                                convert_options=csv.ConvertOptions(column_types=types, null_values=[""],
                                                                   strings_can_be_null=False))
            with target, parquet.ParquetWriter(target, rows.schema, compression="zstd") as writer:
                for batch in rows:
                    writer.write_batch(batch)
            os.link(unfinished, path)
        finally:
            os.unlink(unfinished)
        """
}
