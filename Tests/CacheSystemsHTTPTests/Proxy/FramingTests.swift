import CacheSystems
import Testing

@testable import CacheSystemsHTTP

@Suite("How a client knows where an answer ends")
struct FramingTests {
    @Test(
        arguments: [
            (200, 5 as Int?, false, false, Framing.length(5)), (200, 5, false, true, .length(5)),
            (200, 0, false, false, .length(0)), (200, nil, false, false, .chunked),
            (200, nil, false, true, .connection),
            (200, 5, true, false, .none), (200, nil, true, true, .none), (204, 5, false, false, .none),
            (304, nil, false, false, .none), (205, nil, false, false, .length(0)), (404, nil, false, false, .chunked),
            (199, 5, false, false, .none),
        ])
    func framings(_ status: Int, _ length: Int?, _ isHead: Bool, _ isOld: Bool, _ expected: Framing) {
        let empty = AsyncStream<[UInt8]> { $0.finish() }
        let response = HTTPResponse(
            status, fields: ["Content-Length": "77", "A": "b"], body: HTTPBody(empty, length: length))
        let framing = Framing(response, toHead: isHead, isOld: isOld)
        #expect(framing == expected)
        for keepsAlive in [true, false] {
            let fields = framing.fields(of: response, keepsAlive: keepsAlive, isOld: isOld)
            #expect(fields["A"] == "b")
            #expect(fields["Connection"] == (keepsAlive ? isOld ? "keep-alive" : nil : "close"))
            #expect(fields["Transfer-Encoding"] == (framing == .chunked ? "chunked" : nil))
            let own = framing == .none && status >= 200 && status != 204 ? "77" : nil
            if case .length(let length) = framing {
                #expect(fields.values(of: "Content-Length") == ["\(length)"])
            } else {
                #expect(fields["Content-Length"] == own)
            }
        }
    }
}
