#if Packages
    import ArgumentParser

    /// `assay pack`: packages of web resources, which fill an HTTP cache before anybody asks.
    struct PackCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pack",
            abstract:
                "Build, check and import packages of web resources, which fill an HTTP cache before anybody asks.",
            discussion: """
                A package is a zip archive with a manifest, 'manifest.afcache', as AFCache had them: a line a resource, \
                'URL ; Last-Modified ; Expires ; type ; file'. The older form without the file is read and written too.

                  assay pack build site.zip --folder public --base-url https://example.org --max-age 86400
                  assay pack verify site.zip
                  assay pack import site.zip --into /var/cache/site
                  assay pack purge site --from /var/cache/site

                Exit status: 0 fine, 64 wrong usage, 65 a package that is refused or damaged, 69 a cache that is in use, \
                74 reading or writing failed.
                """,
            subcommands: [Build.self, List.self, Verify.self, Import.self, Purge.self])
    }
#endif
