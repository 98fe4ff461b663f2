import CacheCore
import Testing

@Suite("ParameterValues: name=value lists checked against their specifications")
struct ParameterValuesTests {
    private let specifications = [
        ParameterSpecification("small", .number(default: 0.1, 0.001...0.999), "share of the small queue"),
        ParameterSpecification("bits", .integer(default: 1, 1...8), "counter bits"),
        ParameterSpecification("dialect", .choice(default: "paper", ["paper", "libcachesim"]), "whose rules"),
        ParameterSpecification("seed", .integer(default: 1, 0...Int.max), "seed"),
    ]

    @Test func `defaults hold until they are set`() throws {
        let values = try ParameterValues(parsing: "bits=3", for: specifications, of: "clock")
        #expect(values.number("small") == 0.1)
        #expect(values.integer("bits") == 3)
        #expect(values.text("dialect") == "paper")
        #expect(values.description == "small=0.1;bits=3;dialect=paper;seed=1")
        #expect(values.givenDescription == "bits=3")
    }

    @Test func `what is given reads back to the same values`() throws {
        let values = try ParameterValues(
            parsing: "dialect=libcachesim,small=0.05", for: specifications, of: "s3fifo")
        let again = try ParameterValues(parsing: values.givenDescription, for: specifications, of: "s3fifo")
        #expect(values == again)
    }

    @Test(
        "a value out of range says the range",
        arguments: [
            ("small=2", "0.001 to 0.999"), ("bits=0", "1 to 8"), ("bits=1.5", "1 to 8"), ("bits=x", "1 to 8"),
            ("dialect=papr", "paper, libcachesim"), ("seed=-1", "at least 0"), ("small=nan", "0.001 to 0.999"),
        ])
    func outOfRange(_ text: String, _ range: String) {
        let error = #expect(throws: AssayError.self) {
            try ParameterValues(parsing: text, for: specifications, of: "s3fifo")
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(range) == true)
    }

    @Test func `an unknown name suggests the nearest and lists all`() {
        let error = #expect(throws: AssayError.self) {
            try ParameterValues(parsing: "smal=0.1", for: specifications, of: "s3fifo")
        }
        #expect(error?.message.contains("Did you mean 'small'?") == true)
        #expect(error?.message.contains("bits") == true)
    }

    @Test(arguments: ["small=0.1,small=0.2", "bits=1,bits=1"])
    func `a parameter that is given twice is refused`(_ text: String) {
        let error = #expect(throws: AssayError.self) {
            try ParameterValues(parsing: text, for: specifications, of: "s3fifo")
        }
        #expect(error?.message.contains("twice") == true)
    }

    @Test func `a bare word is refused with the form to write`() {
        let error = #expect(throws: AssayError.self) {
            try ParameterValues(parsing: "small", for: specifications, of: "s3fifo")
        }
        #expect(error?.message.contains("name=value") == true)
    }
}
