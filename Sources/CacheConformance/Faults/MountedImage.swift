import CacheCore

#if canImport(Glibc)
    import Glibc

    /// An ext4 file system in an image, mounted for this process and its children alone.
    final class MountedImage {
        /// The size of the file system; the image has holes where nothing was written.
        private static let bytes = 256 << 20

        private let image: String
        /// Where it is mounted.
        let path: String
        private var isMounted = true

        /// Makes and mounts a file system in a directory. This process has a table of mounts of its own from now on.
        ///
        /// - Throws: `unavailable` if something that it takes is missing or not allowed.
        init(in root: String) throws(StoreError) {
            (image, path) = (root + "/image", root + "/mounted")
            try Self.leaveMounts()
            try Self.run(
                "rm -f \"$1\" && truncate -s \(Self.bytes) \"$1\" && mkfs.ext4 -q -F -N 2048 -J size=4 "
                    + "-E lazy_itable_init=0,lazy_journal_init=0,nodiscard \"$1\"",
                [image], "make an ext4 image")
            try Self.mount(image, on: path)
        }

        private init(copyOf image: MountedImage) {
            (self.image, path) = (image.image + ".cut", image.path + "-cut")
            isMounted = false
        }

        /// What the device has now, nil if it never stands still: the same is read twice.
        func copied() -> MountedImage? {
            var before = Self.pieces(of: image)
            for _ in 0..<10 {
                let now = Self.pieces(of: image)
                if now == before {
                    let copy = MountedImage(copyOf: self)
                    return copy.write(now) ? copy : nil
                }
                before = now
            }
            return nil
        }

        /// Runs a body while the file system is mounted, whose journal the system then brings to an end.
        func withMount<Result, Failure>(_ body: (String) throws(Failure) -> Result) throws(Failure) -> Result {
            isMounted = (try? Self.mount(image, on: path)) != nil
            defer {
                unmount()
                Directory.delete(image)
            }
            return try body(path)
        }

        /// Takes the mount away, which gives its loop device back.
        func unmount() {
            guard isMounted else { return }
            isMounted = false
            umount2(path, Int32(MNT_DETACH))
        }

        private struct Piece: Equatable {
            var offset: Int
            var bytes: [UInt8]
        }

        /// The parts of a file that are no holes.
        private static func pieces(of path: String) -> [Piece] {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return [] }
            defer { close(file) }
            let (data, hole): (Int32, Int32) = (3, 4)
            var pieces: [Piece] = []
            var end = 0
            while true {
                let start = lseek(file, off_t(end), data)
                guard start >= 0 else { return pieces }
                end = Int(lseek(file, start, hole))
                guard end > start else { return pieces }
                var bytes = [UInt8](repeating: 0, count: end - Int(start))
                let count = pread(file, &bytes, bytes.count, start)
                pieces.append(Piece(offset: Int(start), bytes: Array(bytes.prefix(max(0, count)))))
            }
        }

        private func write(_ pieces: [Piece]) -> Bool {
            let file = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard file >= 0 else { return false }
            defer { close(file) }
            return ftruncate(file, off_t(Self.bytes)) == 0
                && pieces.allSatisfy { pwrite(file, $0.bytes, $0.bytes.count, off_t($0.offset)) == $0.bytes.count }
        }

        private static func leaveMounts() throws(StoreError) {
            typealias Unshare = @convention(c) (Int32) -> Int32
            let newNamespace: Int32 = 0x0002_0000
            guard let symbol = dlsym(nil, "unshare"), unsafeBitCast(symbol, to: Unshare.self)(newNamespace) == 0,
                Glibc.mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
            else {
                throw StoreError(.unavailable, "this process may not have mounts of its own", errno: errno)
            }
        }

        private static func mount(_ image: String, on path: String) throws(StoreError) {
            Directory.make(path)
            try run("mount -o loop,noatime \"$1\" \"$2\"", [image, path], "mount an image")
        }

        private static func run(_ command: String, _ arguments: [String], _ what: String) throws(StoreError) {
            let program = try ChildProgram(command: "{ \(command); } >&2", arguments: arguments)
            defer { program.closeEnds() }
            var end = program.reap()
            while end == nil {
                usleep(1_000)
                end = program.reap()
            }
            guard end == "it ended with status 0" else {
                var buffer = [UInt8](repeating: 0, count: 300)
                let count = read(program.errors, &buffer, buffer.count)
                let words = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
                throw StoreError(.unavailable, "cannot \(what): \(words.split(separator: "\n").first ?? "no words")")
            }
        }
    }
#endif
