import CacheCore
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("The fields of a record, as migration steps change them")
struct RecordDataTests {
    static func data(_ fields: KeyValuePairs<String, RecordValue>) -> RecordData {
        var data = RecordData(typeName: "T", version: 1)
        for (name, value) in fields { data[name] = value }
        return data
    }

    @Test func `fields keep their order, and equality does not look at it`() {
        var data = Self.data(["a": 1, "b": "x", "c": nil])
        #expect(data.names == ["a", "b", "c"] && data["c"] == .nothing && data["d"] == nil)
        data["a"] = 2
        #expect(data.names == ["a", "b", "c"])
        let backwards = Self.data(["c": nil, "b": "x", "a": 2])
        #expect(data == backwards && data.hashValue == backwards.hashValue)
        data["b"] = nil
        #expect(data.names == ["a", "c"] && data != backwards && data.remove("b") == nil)
    }

    @Test func `a renamed field keeps its place, and one that had the name is gone`() {
        var data = Self.data(["a": 1, "b": 2, "c": 3])
        data.rename("a", to: "c")
        #expect(data == Self.data(["c": 1, "b": 2]) && data.names == ["c", "b"])
        data.rename("missing", to: "b")
        data.rename("b", to: "b")
        #expect(data == Self.data(["c": 1, "b": 2]))
        data.swap("b", "c")
        #expect(data == Self.data(["b": 1, "c": 2]))
        data.swap("b", "missing")
        #expect(data == Self.data(["missing": 1, "c": 2]))
    }

    @Test func `a field is retyped, filled, and moved out of a nested record`() throws {
        var child = RecordData(typeName: "Child", version: 3)
        child["street"] = "s"
        child["zip"] = 5
        var data = Self.data(["n": "12", "child": .record(child), "empty": nil])
        data.retype("n") { $0.text.flatMap { Int($0) }.map { .integer(Int128($0)) } }
        data.retype("missing") { _ in 1 }
        data.retype("empty") { _ in nil }
        #expect(data["n"] == 12 && data["missing"] == nil && data["empty"] == nil)
        data.move("street", outOf: "child", as: "road")
        data.move("nothing", outOf: "child")
        data.move("street", outOf: "n")
        #expect(data["road"] == "s" && data["child"]?.record?.names == ["zip"])
        data.fill("n", with: 0)
        data.fill("new", with: true)
        #expect(data["n"] == 12 && data["new"]?.flag == true)
    }

    @Test func `random changes agree with a dictionary`() {
        var generator = SeededGenerator(seed: 3)
        var data = RecordData()
        var model: [String: RecordValue] = [:]
        for step in 0..<2000 {
            let (a, b) = (
                ["a", "b", "c", "d", "e"][generator.next(below: 5)], ["a", "b", "x"][generator.next(below: 3)]
            )
            switch generator.next(below: 4) {
            case 0:
                data[a] = .integer(Int128(step))
                model[a] = .integer(Int128(step))
            case 1:
                #expect(data.remove(a) == model.removeValue(forKey: a))
            case 2:
                data.rename(a, to: b)
                if a != b, let value = model.removeValue(forKey: a) { model[b] = value }
            default:
                data.swap(a, b)
                let (old, new) = (model[a], model[b])
                model[a] = new
                model[b] = old
                if a == b { model[a] = old }
            }
            #expect(Dictionary(uniqueKeysWithValues: data.fields.map { ($0.name, $0.value) }) == model)
            #expect(data.isEmpty == model.isEmpty)
        }
    }

    @Test func `parts are read as what they are`() {
        #expect(RecordValue.number(3).integer == 3 && RecordValue.number(3.5).integer == nil)
        #expect(RecordValue.integer(Int128.max).integer == nil && RecordValue.integer(2).number == 2)
        #expect(
            RecordValue.text("a").text == "a" && RecordValue.text("a").record == nil
                && RecordValue.flag(true).list == nil)
        #expect(RecordValue.list([1, 2.5]).list == [.integer(1), .number(2.5)])
    }
}
