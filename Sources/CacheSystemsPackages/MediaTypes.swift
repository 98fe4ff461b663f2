#if Packages
    /// The media types of files by their suffixes, for what web sites are made of.
    enum MediaTypes {
        /// The type of a file; nil for a suffix that is not known.
        static func type(of name: String) -> String? {
            guard let dot = name.lastIndex(of: "."), !name[dot...].contains("/") else { return nil }
            return types[name[name.index(after: dot)...].lowercased()]
        }

        /// Texts whose character set a file does not tell are given none here either.
        private static let types: [String: String] = [
            "avif": "image/avif", "bin": "application/octet-stream", "bmp": "image/bmp", "css": "text/css",
            "csv": "text/csv", "eot": "application/vnd.ms-fontobject", "epub": "application/epub+zip",
            "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "htm": "text/html", "html": "text/html",
            "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
            "js": "text/javascript", "json": "application/json", "jsonld": "application/ld+json", "m4a": "audio/mp4",
            "m4v": "video/mp4", "md": "text/markdown", "mjs": "text/javascript", "mov": "video/quicktime",
            "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg",
            "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
            "rss": "application/rss+xml", "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar",
            "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain",
            "wasm": "application/wasm",
            "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm", "webmanifest": "application/manifest+json",
            "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml",
            "xml": "application/xml", "zip": "application/zip",
        ]
    }
#endif
