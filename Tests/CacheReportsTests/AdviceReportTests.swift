import CacheCore
import Foundation
import Testing

@testable import CacheReports

/// Advice by hand: a target that s3fifo reaches, with one runner-up, one that stands aside, a bound and evidence.
enum SmallAdvice {
    static func make() -> AdviceResults {
        let run = SmallResults.make()
        return AdviceResults(
            assayVersion: "0.1.0", startedAt: run.startedAt, durationSeconds: 1.5,
            commandLine: ["advise", "--trace", "web.csv", "--target-hit-ratio", "0.5"], seed: 1, status: .complete,
            environment: run.environment, traces: run.traces,
            question: AdviceQuestion(metric: .hitRatio, target: 0.5), advice: [advice],
            policies: [
                PolicyDescription(name: "s3fifo", family: "segmented", summary: "Three queues.", citation: "Yang")
            ])
    }

    static func figures(_ hits: Int) -> AdviceFigures {
        AdviceFigures(hits: hits, bytesHit: hits * 32, requests: 1000, bytesRequested: 64_000)
    }

    static func step(_ capacity: Int, _ hits: Int) -> AdviceStep {
        AdviceStep(capacity: capacity, price: capacity, figures: figures(hits))
    }

    static var advice: Advice {
        var advice = Advice(
            trace: "web", capacityUnit: .objects, priceUnit: .objects, budget: nil, outcome: .reached,
            unlimited: figures(600), largestCapacity: 400, candidates: [choice, lru, refused])
        advice.bounds = [
            AdviceBound(selection: "belady:bypass=true", side: .optimum, figures: figures(560), capacity: 80)
        ]
        advice.steps = [step(50, 375), step(100, 500), step(101, 501), step(200, 550)]
        advice.evidence = AdviceEvidence(
            verdict: .open, windows: 20, interval: AdviceInterval(low: 0.45, high: 0.55),
            halves: [AdviceHalf(ratio: 0.25, best: 1), AdviceHalf(ratio: 0.75, best: 0, capacity: 60)],
            rivals: [
                AdviceRival(
                    candidate: 1, lead: 0.0125, interval: AdviceInterval(low: -0.005, high: 0.03), windowsAhead: 12,
                    windowsBehind: 7)
            ],
            seeds: [
                AdviceSeed(seed: 2, ratio: 0.505, best: 0, reaches: true),
                AdviceSeed(seed: 3, ratio: 0.495, best: 1, reaches: false),
            ])
        advice.replays = 42
        return advice
    }

    static var choice: AdviceCandidate {
        var candidate = AdviceCandidate(
            policy: "s3fifo", parameters: "small=0.2", selection: "s3fifo:small=0.2", admission: "always")
        (candidate.capacity, candidate.failsAt, candidate.price) = (100, 99, 100)
        (candidate.figures, candidate.atChoicePrice) = (figures(500), figures(500))
        candidate.certainty = .bisection
        candidate.smallerTried = 2
        candidate.points = [step(50, 375), step(99, 499), step(100, 500), step(200, 550)]
        return candidate
    }

    static var lru: AdviceCandidate {
        var candidate = AdviceCandidate(policy: "lru", parameters: "", selection: "lru", admission: "tinylfu")
        (candidate.capacity, candidate.failsAt, candidate.price) = (125, 124, 125)
        (candidate.figures, candidate.atChoicePrice) = (figures(500), figures(487))
        candidate.certainty = .pass
        candidate.points = [step(100, 487), step(125, 500)]
        return candidate
    }

    static var refused: AdviceCandidate {
        var candidate = AdviceCandidate(policy: "cacheus", parameters: "", selection: "cacheus", admission: "always")
        candidate.failure = CellFailure(.notApplicable, "It counts \"objects\",\nnot bytes.")
        return candidate
    }
}

@Suite("Advice reports")
struct AdviceReportTests {
    @Test func `advice as text, to the character`() throws {
        let expected = """
            s3fifo:small=0.2 with 100 objects (about 6.25 KiB at 64 B, the mean size of an object, 25.0 % of the footprint) is \
            the least that was found to reach a hit ratio of 50.00 %: 50.00 %. Bisection: 99 fails. The choice is open: lru + \
            tinylfu cannot be told from it on this trace. 2 policies were compared, in 2 pairs with admission policies; \
            --policy all compares all.

            web · 1,000 requests · 400 objects · 62.5 KiB requested · 25 KiB footprint
              policy            capacity  hit ratio  byte hit ratio  hit ratio at the chosen capacity  how the capacity was found
            * s3fifo:small=0.2       100    50.00 %         25.00 %                           50.00 %  bisection: 99 fails
              lru + tinylfu          125    50.00 %         25.00 %                           48.70 %  proven: one pass over all capacities
              cacheus  not applicable: It counts "objects", not bytes.

            s3fifo:small=0.2 need not hit more with more capacity, so that a smaller one may do as well; of those below, 2 \
            were replayed and do less. --exhaustive replays them all where they are at most 1048576.
            Its hit ratio lies in 45.00 to 55.00 % with 95 % confidence, by 20 windows of the trace.
            It has 25.00 % in the first half, where lru + tinylfu is first, and 75.00 % in the second half.
            For the target in the first half alone it would take more than was tried, in the second about 60 objects.
            Of 2 other seeds, it has 49.50 to 50.50 %, reaches the target with 1, is first with 1.
            lead over      points  95 % from     to  windows ahead  windows behind
            lru + tinylfu   +1.25      −0.50  +3.00             12               7

                     with  hit ratio  points  hits per million requests, per object
               50 objects    37.50 %  −12.50                                  2,500
            * 100 objects    50.00 %   ±0.00                                      –
              101 objects    50.10 %   +0.10                                  1,000
              200 objects    55.00 %   +5.00                                    500

            The optimum (belady:bypass=true) has 56.00 % at this capacity, +6.00 points, and no policy does as much below \
            80 objects.

            42 replays in 1.5 s

            """
        #expect(try TerminalReport.render(SmallAdvice.make().document(.init())) == expected)
    }

    @Test(arguments: [60, 80, 120])
    func `sentences and tables fit the terminal`(_ width: Int) throws {
        let lines = try TerminalReport.render(SmallAdvice.make().document(.init()), width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines.filter { $0.count > width })")
        #expect(!lines.contains { $0.contains("\u{1B}") })
        #expect(
            try TerminalReport.render(SmallAdvice.make().document(.init()), isColored: true).contains(
                "\u{1B}[1m* s3fifo"))
    }

    @Test func `capacities in bytes that would read alike are told apart`() throws {
        var results = SmallAdvice.make()
        results.advice[0].capacityUnit = .bytes
        (results.advice[0].candidates[0].capacity, results.advice[0].candidates[0].failsAt) = (180_355_072, 180_355_071)
        results.advice[0].steps = [SmallAdvice.step(180_355_072, 500), SmallAdvice.step(180_355_100, 500)]
        let text = try TerminalReport.render(results.document(.init()))
        #expect(text.contains("180,355,072 B    50.00 %") && text.contains("bisection: 180,355,071 B fails"))
        #expect(text.contains("180,355,072 B    50.00 %") && text.contains("180,355,100 B    50.00 %"))
        #expect(!text.contains("172 MiB fails"))
    }

    @Test func `a target and a ratio that misses it are told apart`() throws {
        var results = SmallAdvice.make()
        results.question.target = 0.60001
        results.advice[0].outcome = .unreachable
        #expect(
            try TerminalReport.render(results.document(.init())).contains(
                "a hit ratio of 60.001 %: one that keeps everything has 60.000 %"))
    }

    @Test func `a small share of the footprint keeps its digits, and bytes need no size of an object`() throws {
        var results = SmallAdvice.make()
        (results.advice[0].capacityUnit, results.advice[0].largestCapacity) = (.bytes, 5_000_000)
        results.advice[0].candidates[0].capacity = 1111
        results.commandLine += ["--policy", "s3fifo,lru"]
        let text = try TerminalReport.render(results.document(.init()))
        #expect(text.contains("(1,111 bytes, taking 100 objects, 0.022 % of the footprint)"), "\(text)")
        #expect(text.contains("policies were compared") && !text.contains("--policy all"))
        results.advice[0].candidates[0].capacity = 1
        #expect(try TerminalReport.render(results.document(.init())).contains("under 0.001 % of the footprint"))
    }

    @Test func `each outcome says what is so and what is not`() throws {
        var results = SmallAdvice.make()
        let words: [(Advice.Outcome, [String])] = [
            (.reached, ["the least that was found"]),
            (.unreachable, ["No cache reaches", "60.00 %", "first requests"]),
            (.notReached, ["None of the policies compared", "comes nearest"]), (.nothing, ["Nothing hits"]),
            (.interrupted, ["before there was an answer"]),
        ]
        for (outcome, expected) in words {
            results.advice[0].outcome = outcome
            let text = try TerminalReport.render(results.document(.init()))
            for word in expected { #expect(text.contains(word), "\(word) is missing in \(text)") }
        }
        results.question = AdviceQuestion(metric: .hitRatio, budget: "2GiB", objectBytes: 4096)
        results.advice[0].outcome = .best
        results.advice[0].priceUnit = .bytes
        results.advice[0].budget = 2 << 30
        results.advice[0].candidates[0].price = 409_600
        #expect(try TerminalReport.render(results.document(.init())).contains("within 2 GiB: a hit ratio of 50.00 %"))
        #expect(try TerminalReport.render(results.document(.init())).contains("taking 400 KiB"))
    }

    @Test func `advice on several traces answers with a choice for each, and names those without one`() throws {
        var results = SmallAdvice.make()
        results.traces.append(results.traces[0])
        results.advice.append(SmallAdvice.advice)
        (results.traces[1].name, results.advice[1].trace) = ("db", "db")
        results.advice[1].outcome = .unreachable
        let text = TerminalReport.render(try results.document(.init()))
        #expect(
            text.contains(
                "web: s3fifo:small=0.2 with 100 objects. 1 of 2 traces with an answer. The choices are open on 1 of these traces. 2 policies were compared"
            ))
        #expect(text.contains("\ndb: No cache reaches"))
        #expect(throws: AssayError.self) { try results.document(.init(baselinePolicy: "lru")) }
    }

    @Test func `a terminal shows ten candidates and counts the others`() throws {
        var results = SmallAdvice.make()
        results.advice[0].candidates += Array(repeating: SmallAdvice.refused, count: 9)
        let text = TerminalReport.render(try results.document(.init()))
        #expect(text.contains("\n  and 2 more\n") && text.split(separator: "\n").count { $0.contains("cacheus") } == 8)
        let page = try HTMLReport.render(results.document(.init()))
        #expect(page.split(separator: "cacheus</th>").count == 11)
    }

    @Test func `advice as CSV, to the byte`() {
        let expected = """
            trace,outcome,rank,policy,parameters,admission,capacity,capacity_unit,price,price_unit,hit_ratio,byte_hit_ratio,\
            hit_ratio_at_choice_price,byte_hit_ratio_at_choice_price,certainty,fails_at,lead,lead_low,lead_high,failure
            web,reached,1,s3fifo,small=0.2,always,100,objects,100,objects,0.5,0.25,0.5,0.25,bisection,99,,,,
            web,reached,2,lru,,tinylfu,125,objects,125,objects,0.5,0.25,0.487,0.2435,one pass,124,0.0125,-0.005,0.03,
            web,reached,3,cacheus,,always,,objects,,objects,,,,,bracket,,,,,"not applicable: It counts ""objects"",
            not bytes."
            web,reached,,belady:bypass=true,,,80,objects,,,,,0.56,0.28,optimum,,,,,

            """
        let text = CSVReport.render(SmallAdvice.make())
        #expect(
            text == expected.replacing("\n", with: "\r\n").replacing("\"objects\"\",\r\n", with: "\"objects\"\",\n"))
    }

    @Test func `advice as JSON comes back whole and is told from a run`() throws {
        let results = SmallAdvice.make()
        let data = Data(try JSONReport.render(results).utf8)
        #expect(try JSONDecoder().decode(AdviceResults.self, from: data) == results)
        #expect(try JSONReport.decode(data, from: "advice.json") is AdviceResults)
    }

    @Test func `the page has the answer, the chart with its level, and its files`() throws {
        let page = try HTMLReport.render(SmallAdvice.make().document(.init()))
        for words in [
            "A hit ratio of 50.0 % on web", "s3fifo:small=0.2", "6.00 points", "stroke-dasharray=\"5 4\"",
            "What more or less would buy", "It counts &quot;objects&quot;", "data-download=\"advice.csv\"",
            "<dt>Bisection</dt>", "<tr class=\"best\">", "data-theme-choice=\"dark\"",
        ] {
            #expect(page.contains(words), "\(words) is missing")
        }
        #expect(!page.contains("results.json") && !page.contains("<dt>shards</dt>"))
        // The ring of the choice, with its name, and no curve of a candidate that was refused.
        let charts = MarkupCheck.parts(of: page, from: "<svg class=\"chart lines", to: "</svg>").map { MarkupCheck($0) }
        #expect(charts.count == 1 && charts[0].text.contains("the choice"))
        #expect(MarkupCheck.parts(of: page, from: "<button type=\"button\" class=\"chip\"", to: "</button>").count == 2)
        for (opening, closing) in [("<svg", "</svg>"), ("<table", "</table>")] {
            let parts = MarkupCheck.parts(of: page, from: opening, to: closing)
            #expect(parts.count > 4)
            for part in parts { #expect(MarkupCheck(part).problem == nil) }
        }
    }
}
