#if Packages
    public import CacheSystems

    /// What a package may hold, and how it is read.
    ///
    /// The limits keep a package that somebody else has made from filling the disk or the memory: one that exceeds any of them is refused
    /// before anything of it is unpacked, and while it is unpacked where it does not say the truth.
    public struct PackageOptions: Sendable {
        /// The most files in the archive.
        public var filesMax = 100_000
        /// The most bytes of one body.
        public var bodyBytesMax = 2 << 30
        /// The most bytes of all bodies; a file that several addresses share counts for each of them.
        public var totalBytesMax = 8 << 30
        /// How many bytes may come of each byte in the archive, for files of more than 1 MiB.
        public var ratioMax = 200
        /// The most bytes of the manifest.
        public var manifestBytesMax = 32 << 20
        /// The most bytes of the data that belong to one entry.
        public var userDataBytesMax = 1 << 20
        /// What takes the place of `afcpkg://localhost`, which the tools of AFCache write where they are not told an address.
        public var baseURL: HTTPURL?
        /// Whether lines of the manifest that cannot be used, and files that it does not name, are left out and told, where they would
        /// otherwise make the package be refused. What is not safe is refused in any case.
        public var skipsUnusable = false

        /// Room for packages of a few gigabytes; nothing is left out.
        public init() {}
    }
#endif
