import ArgumentParser
import CacheCore
import CacheTraces

#if Conformance
    import CacheConformance
#endif

extension CompletionKind {
    /// The policies, and the words for several of them.
    static var policies: CompletionKind {
        names { plugins in
            let families = Set(plugins.policies.map(\.descriptor.family)).sorted().map { $0 + "/*" }
            return plugins.policies.map(\.descriptor.name) + ["all"] + families
        }
    }

    /// The admission policies, and the word for none.
    static var admissions: CompletionKind { names { ["always"] + $0.admissions.map(\.descriptor.name) } }

    /// The prefetchers, and the word for none.
    static var prefetchers: CompletionKind { names { ["none"] + $0.prefetchers.map(\.descriptor.name) } }

    /// The storage backends.
    static var backends: CompletionKind { names { $0.everyBackend.map(\.descriptor.name) } }

    /// The formats of traces.
    static var formats: CompletionKind { names { $0.formats.map(\.descriptor.name) } }

    /// What `assay conform` is asked about.
    static var subjects: CompletionKind {
        names { plugins in
            var names =
                plugins.everyBackend.map(\.descriptor.name) + plugins.policies.map { "policy:" + $0.descriptor.name }
            #if Conformance
                names += plugins.subjects.map(\.subject.name)
            #endif
            return names
        }
    }

    /// Completes the last name of those that commas separate.
    private static func names(_ all: @escaping @Sendable (Plugins) -> [String]) -> CompletionKind {
        .custom { words, index, word in
            let names = all(Plugins.current)
            if let comma = word.lastIndex(of: ",") { return names.map { word[...comma] + $0 } }
            // To bash a colon is a word, and what it completes is what comes after.
            guard let colon = [index, index - 1].first(where: { $0 > 0 && $0 < words.count && words[$0] == ":" }) else {
                return names
            }
            let prefix = words[colon - 1] + ":"
            return names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
    }
}
