import CacheCore
import Testing

@testable import CacheTraces

@Suite struct HeaderGuessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A file's name, its content, and the format that is found.
    static let guessed: [(name: String, text: String, format: String)] = [
        (
            "x.csv", "ts,tenant,key,size,op\n1,a,k1,5,get\n2,b,k2,6,set\n",
            "csv:key=key,size=size,time=ts,op=op,tenant=tenant,header=true"
        ),
        ("x.csv", "time, object, size\n1,17,100\n", "csv:key=object,size=size,time=time,header=true"),
        ("x.csv", "key\n1\n", "csv:key=key,header=true"),
        ("x.tsv", "obj_id\tobj_size\n1\t2\n", "tsv:key=obj_id,size=obj_size,header=true"),
        ("x", "obj_id\tobj_size\n1\t2\n", "tsv:key=obj_id,size=obj_size,header=true"),
        ("x", "url;bytes\n/a;2\n/b;3\n", "csv:key=url,size=bytes,header=true,delimiter=semicolon"),
        ("x", "Key Size\n1 2\n", "csv:key=Key,size=Size,header=true,delimiter=space"),
        ("x.csv", "Object ID,Size (bytes)\n1,2\n", "csv:key=1,size=2,header=true"),
        ("x.csv", "key,key\n1,2\n", "csv:key=1,header=true"),
        ("x.csv", "timestamp,key\n1700000000,1\n", "csv:key=key,time=timestamp,header=true"),
        ("x.csv", "timestamp,key\n1700000000123,1\n", "csv:key=key,time=timestamp,time-unit=ms,header=true"),
        ("x.csv", "timestamp,key\n1700000000123456,1\n", "csv:key=key,time=timestamp,time-unit=us,header=true"),
        ("x.csv", "timestamp,key\n1700000000123456789,1\n", "csv:key=key,time=timestamp,time-unit=ns,header=true"),
        ("x.csv", "time_us,key\n7,1\n", "csv:key=key,time=time_us,time-unit=us,header=true"),
        ("x.csv", "key,ttl_ms,cost\n1,-1,2.5\n", "csv:key=key,ttl=ttl_ms,ttl-unit=ms,cost=cost,header=true"),
        // What is under a name decides too.
        ("x.csv", "key,size,op,time\n1,large,2a,yesterday\n", "csv:key=key,header=true"),
    ]

    @Test(arguments: guessed) func `a header tells the columns`(_ content: (name: String, text: String, format: String))
        throws
    {
        let path = try folder.write(content.name, content.text.utf8)
        let told = Told()
        var store = folder.store
        store.onRecognised = { told.selected.append($1.description) }
        let trace = try store.open(path: path)
        #expect(trace.formatDescription == content.format)
        #expect(trace.requests == content.text.split(separator: "\n").count - 1)
        #expect(told.selected == [content.format])
    }

    @Test func `columns that are not read are told`() throws {
        let path = try folder.write("x.csv", "version,key,size,op\n1,2,3,2a\n".utf8)
        let told = Told()
        var store = folder.store
        store.onRecognised = { told.selected.append($1.remark ?? "") }
        _ = try store.open(path: path)
        #expect(told.selected == ["columns that are not read: version, op"])
    }

    /// Tables whose columns nobody names.
    static let unknown = ["1,2\n3,4\n", "a,b\nc,d\n", "size,time\n1,2\n", "key,size\n", "key,2\n1,2\n", "k\nk\n"]

    @Test(arguments: unknown) func `a table that nothing tells is an error that shows its columns`(_ text: String)
        throws
    {
        let path = try folder.write("x.csv", text.utf8)
        let error = assayError { () throws(AssayError) in _ = try folder.store.open(path: path) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("which column is the key") == true, "\(String(describing: error))")
    }

    private final class Told: @unchecked Sendable {
        var selected: [String] = []
    }
}
