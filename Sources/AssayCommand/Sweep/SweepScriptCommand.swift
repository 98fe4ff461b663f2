import ArgumentParser
import CacheCore
import CacheHarness
import Foundation

/// `assay sweep script`: what a scheduler is given to run a sweep.
struct SweepScriptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script",
        abstract: "Print a Slurm array script or a Kubernetes Indexed Job that runs a sweep.",
        discussion: """
            Each task runs the shards I, I+N, I+2N, … of N tasks, so that an array stays within the limit of its scheduler \
            (MaxArraySize of Slurm). Time and memory are what the plan expects of the largest task, with room to spare; a task that is \
            killed is queued again and goes on where it was. Requests are yours to edit.

            EXAMPLES
              assay sweep script slurm sweep > sweep.sbatch && sbatch sweep.sbatch
              assay sweep script kubernetes sweep --image registry.example.org/assay:1 --claim traces | kubectl apply -f -
            """)

    enum Scheduler: String, ExpressibleByArgument, CaseIterable { case slurm, kubernetes }

    @Argument(help: "slurm or kubernetes.")
    var scheduler: Scheduler

    @OptionGroup var directory: SweepDirectory

    @Option(
        help: ArgumentHelp("How many tasks share the shards (default: one a shard, at most 1000).", valueName: "number")
    )
    var tasks: Int?

    @Option(help: ArgumentHelp("How many tasks run at once (default: as the scheduler decides).", valueName: "number"))
    var atOnce: Int?

    @Option(help: ArgumentHelp("Processors of each task.", valueName: "number"))
    var cpus = 1

    @Option(help: ArgumentHelp("How assay is started there.", valueName: "program"))
    var program = "assay"

    @Option(help: ArgumentHelp("Kubernetes: the image that has assay.", valueName: "image"))
    var image: String?

    @Option(
        help: ArgumentHelp(
            "Kubernetes: the persistent volume claim that holds the sweep and its traces. It is mounted at --mount.",
            valueName: "name"))
    var claim: String?

    @Option(
        help: ArgumentHelp(
            "Kubernetes: where the claim is mounted (default: the plan's working directory). The sweep and its traces are under it.",
            valueName: "path"))
    var mount: String?

    func validate() throws {
        let numbers = [("tasks", tasks ?? 1), ("at-once", atOnce ?? 1), ("cpus", cpus)]
        if let (name, _) = numbers.first(where: { !(1...1_000_000).contains($0.1) }) {
            throw ValidationError("--\(name) must be from 1 to 1000000.")
        }
        guard scheduler == .kubernetes || (image == nil && claim == nil && mount == nil) else {
            throw ValidationError("--image, --claim and --mount belong to kubernetes.")
        }
        guard scheduler == .slurm || (image != nil && claim != nil) else {
            throw ValidationError(
                "A Job needs --image, which has assay, and --claim, the volume claim that holds the sweep and its traces."
            )
        }
    }

    func run() throws {
        let folder = try directory.open()
        guard !folder.plan.shards.isEmpty else {
            throw AssayError(
                .usage, "This plan has no shards, so that there is nothing to run.", at: .init(folder.path))
        }
        let mounted = mount ?? folder.plan.workingDirectory
        func parts(_ path: String) -> [String] { URL(filePath: path).standardizedFileURL.pathComponents }
        guard scheduler == .slurm || parts(folder.path).starts(with: parts(mounted)) else {
            throw AssayError(
                .usage,
                "The sweep \(folder.path) is not under \(mounted), where the claim is mounted. Name with --mount a folder that has it.",
                at: .init("--mount"))
        }
        for (name, text) in [("directory", folder.path), ("program", program)] + [
            ("claim", claim ?? ""), ("image", image ?? ""), ("mount", mount ?? ""),
        ]
        where text.contains(where: { $0.isNewline }) {
            throw AssayError(.usage, "The \(name) has a line break, which no script can carry.", at: .init(text))
        }
        Console.print(script(folder), terminator: "")
    }

    private func script(_ folder: ShardFolder) -> String {
        let script = SchedulerScript(
            folder: folder, tasks: min(tasks ?? 1000, folder.plan.shards.count), cpus: cpus, atOnce: atOnce,
            program: program)
        switch scheduler {
        case .slurm: return script.slurm
        case .kubernetes:
            return script.kubernetes(
                image: image ?? "", claim: claim ?? "", mount: mount ?? folder.plan.workingDirectory)
        }
    }
}

/// The text of scripts for schedulers.
struct SchedulerScript {
    let folder: ShardFolder
    let tasks: Int
    let cpus: Int
    let atOnce: Int?
    let program: String

    private var shards: [ShardedPlan.Shard] { folder.plan.shards }

    /// Memory of a task in MiB: that of its largest shard, and a quarter more.
    var mebibytes: Int {
        let bytes = shards.map { Double($0.traceBytes) + Double($0.replayBytes) * Double(cpus) }.max() ?? 0
        return Int((bytes * 1.25 / 1_048_576).rounded(.up))
    }

    /// Time of a task in minutes: three times what is expected of the longest, and at least ten minutes.
    var minutes: Int {
        var seconds = [Double](repeating: 0, count: tasks)
        for (index, shard) in shards.enumerated() { seconds[index % tasks] += shard.seconds }
        return max(10, Int(min(1e9, ((seconds.max() ?? 0) / Double(cpus) * 3 / 60).rounded(.up))))
    }

    private func command(task: String) -> String {
        "\(Self.quoted(program)) sweep run \(Self.quoted(folder.path)) --shard \"\(task)/\(tasks)\" --jobs \(cpus)"
    }

    /// A word as a shell reads it, whatever it holds.
    static func quoted(_ word: String) -> String { "'\(word.replacing("'", with: "'\\''"))'" }

    /// A text as YAML reads it, which is as JSON writes it.
    private static func scalar(_ text: String) -> String {
        let data = try? JSONEncoder().encode(text)
        return data.map { String(decoding: $0, as: UTF8.self).replacing("\\/", with: "/") } ?? "\"\""
    }

    /// An array script for `sbatch`.
    var slurm: String {
        """
        #!/bin/bash
        #SBATCH --job-name=assay-sweep
        #SBATCH --array=0-\(tasks - 1)\(atOnce.map { "%\($0)" } ?? "")
        #SBATCH --ntasks=1
        #SBATCH --cpus-per-task=\(cpus)
        #SBATCH --mem=\(mebibytes)M
        #SBATCH --time=\(minutes)
        #SBATCH --requeue
        #SBATCH --open-mode=append
        #SBATCH --signal=B:TERM@60
        # \(shards.count) shards of the plan \(folder.plan.digest.prefix(12)); what is done is not run again.
        exec \(command(task: "${SLURM_ARRAY_TASK_ID:?start this script with sbatch}"))

        """
    }

    /// An Indexed Job for `kubectl apply`. A pod whose node goes is started anew; a task that fails otherwise is tried four times.
    func kubernetes(image: String, claim: String, mount: String) -> String {
        let tries = 4
        return """
            # \(shards.count) shards of the plan \(folder.plan.digest.prefix(12)); what is done is not run again.
            apiVersion: batch/v1
            kind: Job
            metadata:
              name: assay-sweep-\(folder.plan.digest.prefix(12))
            spec:
              completionMode: Indexed
              completions: \(tasks)
              parallelism: \(atOnce.map { min($0, tasks) } ?? tasks)
              backoffLimitPerIndex: \(tries)
              podFailurePolicy:
                rules:
                - action: Ignore
                  onPodConditions:
                  - type: DisruptionTarget
                    status: "True"
              template:
                spec:
                  restartPolicy: Never
                  containers:
                  - name: assay
                    image: \(Self.scalar(image))
                    command: ["/bin/sh", "-c"]
                    args:
                    - \(Self.scalar("exec \(command(task: "$JOB_COMPLETION_INDEX"))"))
                    resources:
                      requests:
                        cpu: "\(cpus)"
                        memory: \(mebibytes)Mi
                      limits:
                        memory: \(mebibytes)Mi
                    volumeMounts:
                    - name: sweep
                      mountPath: \(Self.scalar(mount))
                  volumes:
                  - name: sweep
                    persistentVolumeClaim:
                      claimName: \(Self.scalar(claim))

            """
    }
}
