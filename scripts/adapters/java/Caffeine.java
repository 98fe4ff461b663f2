// package libcaffeine-java caffeine.jar
import com.github.benmanes.caffeine.cache.*;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.function.*;

public class Caffeine implements Expiry<String, Caffeine.Held> {
    record Held(byte[] value, Long life, long cost) {}
    static final Map<RemovalCause, String> CAUSES = Map.of(RemovalCause.EXPLICIT, "removed", RemovalCause.REPLACED, "replaced", RemovalCause.SIZE, "evicted", RemovalCause.EXPIRED, "expired", RemovalCause.COLLECTED, "evicted");
    final Cache<String, Held> cache;
    Caffeine(AssaySubject.Setup setup) {
        AssaySubject.Listener tell = setup.tell();
        var builder = com.github.benmanes.caffeine.cache.Caffeine.newBuilder().recordStats().ticker(setup.clock()::getAsLong).executor(Runnable::run)
            .expireAfter(this).removalListener((String key, Held held, RemovalCause cause) -> tell.tell(key, held.value(), CAUSES.get(cause)));
        long weight = setup.weight(), entries = setup.entries();
        cache = (weight >= 0 ? builder.maximumWeight(weight).weigher((String key, Held held) -> Math.toIntExact(held.cost())) : builder.maximumSize(entries)).build();
    }
    public long expireAfterCreate(String key, Held held, long now) { return held.life() == null ? Long.MAX_VALUE : held.life(); }
    public long expireAfterUpdate(String key, Held held, long now, long left) { return expireAfterCreate(key, held, now); }
    public long expireAfterRead(String key, Held held, long now, long left) { return left; }
    static Held held(byte[] value, AssaySubject.Terms terms) { return value == null ? null : new Held(value, terms.timeToLive, terms.cost); }
    static byte[] value(Held held) { return held == null ? null : held.value(); }

    public void put(String key, byte[] value, AssaySubject.Terms terms) { cache.put(key, held(value, terms)); }
    public byte[] get(String key) { return value(cache.getIfPresent(key)); }
    public boolean contains(String key) { return cache.asMap().containsKey(key); }
    public boolean remove(String key) { return cache.asMap().remove(key) != null; }
    public void removeAll() { cache.invalidateAll(); }
    public long count() { return cache.asMap().size(); }
    public Collection<String> keys() { return cache.asMap().keySet(); }
    public void maintain() { cache.cleanUp(); }
    public boolean putIfAbsent(String key, byte[] value, AssaySubject.Terms terms) { return cache.asMap().putIfAbsent(key, held(value, terms)) == null; }
    public boolean replace(String key, byte[] value, AssaySubject.Terms terms) { return cache.asMap().replace(key, held(value, terms)) != null; }
    public byte[] take(String key) { return value(cache.asMap().remove(key)); }
    public byte[] load(String key, Supplier<byte[]> origin, AssaySubject.Terms terms) { return value(cache.get(key, missed -> held(origin.get(), terms))); }
    public void resize(long amount) { cache.policy().eviction().get().setMaximum(amount); }
    public long cost() { return cache.policy().eviction().get().weightedSize().orElse(cache.estimatedSize()); }
    public Long remainingTime(String key) { var left = cache.policy().expireVariably().get().getExpiresAfter(key, TimeUnit.NANOSECONDS); return left.isEmpty() || left.getAsLong() > 1L << 61 ? null : left.getAsLong(); }
    public Map<String, Long> statistics() {
        var s = cache.stats();
        return Map.of("hits", s.hitCount(), "misses", s.missCount(), "loads", s.loadSuccessCount(), "loadFailures", s.loadFailureCount());
    }

    // Its wheel of timers turns once in 2^30 ns, and lives that differ by less than a second are the same to it. Weights are ints.
    public static void main(String[] arguments) throws Exception {
        AssaySubject.serve("Caffeine", "{\"features\":[\"coalesce\",\"frequencyAware\"],\"storage\":{\"isConcurrent\":true,\"retains\":false,\"iterates\":false},\"room\":{\"isStrict\":false},\"limits\":{\"costMax\":2147483647,\"clockStepNanoseconds\":2147483648,\"timeToLiveMaxNanoseconds\":4611686018427387904},"
            + "\"deviations\":[\"countsExpired\",\"dropsOversized\",\"loadersMayNotUseTheCache\",\"putsWaitForLoads\",\"emptyLoadsAreFailures\"]}", Caffeine::new);
    }
}
