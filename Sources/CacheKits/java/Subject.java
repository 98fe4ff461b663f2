import java.util.*;

/** A cache under Assay's conformance suite. Put your cache in the place of LRU, and its calls in the place of those of Subject. */
public class Subject {
    @SuppressWarnings("serial")
    static class LRU extends LinkedHashMap<String, byte[]> {
        final long limit;
        LRU(long limit) { super(16, 0.75f, true); this.limit = limit; }
        @Override protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) { return size() > limit; }
    }

    final LRU cache;
    Subject(AssaySubject.Setup setup) { cache = new LRU(setup.entries()); }

    public void put(String key, byte[] value) { cache.put(key, value); }
    public byte[] get(String key) { return cache.get(key); }
    public boolean contains(String key) { return cache.containsKey(key); }
    public boolean remove(String key) { return cache.remove(key) != null; }
    public void removeAll() { cache.clear(); }
    public long count() { return cache.size(); }
    public Collection<String> keys() { return cache.keySet(); }

    public static void main(String[] arguments) throws Exception {
        AssaySubject.serve("my cache 1.0", "{\"order\":\"lru\"}", Subject::new);
    }
}
