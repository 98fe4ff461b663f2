import CacheCore
import CachePolicies
import CacheStorage
import CacheSystems

/// Forecasts: shown at once as they were, then as they are, and without a network as old as they may be.
struct ForecastStore {
    struct Place: Encodable, Sendable {
        var city: String
        var days: Int
    }

    struct Forecast: Codable, Sendable, Equatable {
        var degrees: [Int]
    }

    struct Offline: Error, Equatable {}

    let calls: CallCache
    let forecast: CachedFunction<Place, Forecast>

    init(directory: String, fetch: @escaping @Sendable (Place) async throws -> Forecast) throws {
        var options = CallCacheOptions("forecasts")
        options.maxAge = .seconds(3600)
        let lru = PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)
        let files = try BackendEntry(FileStorage.self).open(directory: directory)
        calls = try CallCache(options, policy: lru, storage: files)
        forecast = calls.function("forecast", origin: fetch)
    }

    /// Shows what is known, and then what is new.
    func show(_ place: Place, on screen: (Forecast, _ isOld: Bool) -> Void) async throws {
        for try await answer in forecast.answers(to: place, .cacheThenNetwork) {
            screen(answer.value, answer.isCached)
        }
    }

    /// What is new, or what is known of whatever age where there is no network.
    func latest(_ place: Place) async throws -> Forecast {
        let rules = CallRules(maxAge: .unlimited, fallsBack: { $0 is Offline })
        return try await forecast(place, .networkElseCache, rules: rules)
    }
}
