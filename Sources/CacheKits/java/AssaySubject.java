import java.io.*;
import java.lang.reflect.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;

/**
 * Assay's subject protocol (docs/subject-protocol.md, version 1) for caches in Java, in one file over the standard library.
 *
 * Write a class with a public method for each operation that your cache has, and call AssaySubject.serve("name 1.0", claims, setup -> new
 * Subject(setup)) from main:
 *
 *   byte[] get(String key)   boolean contains, remove(String key)   void removeAll()   long count()   Collection&lt;String> keys()
 *   void put(String key, byte[] value)   boolean putIfAbsent, replace(String key, byte[] value)   byte[] exchange(String key, byte[] value)
 *   boolean compareAndSet(String key, byte[] expected, byte[] value)   byte[] take(String key)   List&lt;byte[]> getMany(List&lt;String> keys)
 *   long removeMany(List&lt;String> keys)   List&lt;Boolean> putMany(List&lt;String> keys, List&lt;byte[]> values)
 *   Collection&lt;String> firstKeys(long amount)   byte[] update(String key, UnaryOperator&lt;byte[]> change)
 *   long increment(String key, long amount)   boolean rename(String key, String other)   boolean touch(String key, long nanoseconds)
 *   Long remainingTime(String key)   long cost()   void resize(long amount)   Map&lt;String, Long> statistics()   void removeTagged(String tag)
 *   boolean mark, removeIfMarked, pin, unpin(String key)   boolean setIfMarked(String key, byte[] value)
 *   byte[] load(String key, Supplier&lt;byte[]> origin)   void giveUp(String key)   void flush, maintain, close, dropMemory()
 *   void failLower(boolean fails)   long diskUsage()   void limitGroup(String group, long amount)
 *   void listen(AssaySubject.Listener listener), null takes it away   void advance, sleep(long nanoseconds)
 *   Object face(long number), of the same class: the face of that number, 1 or more; `claims` say how many there are: {"faces":2}
 *
 * Keys are strings with a character a byte; null is no entry. A method may take Terms after the rest, and int stands for long. Throw
 * Refused for the protocol's errors; pass what `origin` throws on, within another exception or not.
 *
 * What is written is claimed, and so is what is asked of the Setup: entries, weight, clock, tell, writer, directory, timeToLive, timeToIdle, stale,
 * refresh, collide. Terms after put claim a time to live if the clock is asked for. `claims` is JSON that is laid over that:
 * {"order":"lru","storage":{"isConcurrent":true}}; null takes a member away, and "-name" among the features one of these. An operation
 * or a term that is not claimed is answered `unsupported`.
 */
public final class AssaySubject {
    static final int FRAME_MAX = 64 << 20;

    /** One of the protocol's codes: closed, keyRefused, valueRefused, full, corrupt, unavailable, unsupported, inputOutput. */
    @SuppressWarnings("serial")
    public static final class Refused extends RuntimeException {
        final String code;
        public Refused(String code, String message) { super(message); this.code = code; }
    }

    /** The loader's own error. */
    @SuppressWarnings("serial")
    public static final class OriginFailed extends RuntimeException {}

    /** Terms of a write: no time to live is for ever, no group is outside of groups. */
    public static final class Terms {
        public final Long timeToLive;
        public final long cost;
        public final List<String> tags;
        public final String group;
        @SuppressWarnings("unchecked")
        Terms(Map<String, Object> given, String group) {
            timeToLive = (Long) given.get("timeToLiveNanoseconds");
            cost = (Long) given.getOrDefault("cost", 1L);
            tags = (List<String>) given.getOrDefault("tags", List.of());
            this.group = group;
        }
    }

    /** Is told of what leaves: evicted, expired, replaced or removed. */
    public interface Listener { void tell(String key, byte[] value, String cause); }

    /** What an instance is opened with. What is asked of it is claimed. */
    public static final class Setup {
        final Map<String, Object> open;
        final Instance kit;
        final Set<String> asked;
        Setup(Map<String, Object> open, Instance kit, Set<String> asked) { this.open = open; this.kit = kit; this.asked = asked; }

        private Long amount(String unit) {
            asked.add(unit);
            Map<?, ?> room = (Map<?, ?>) open.get("capacity");
            return room == null ? null : room.get("unit").equals(unit) ? (Long) room.get("amount") : Long.valueOf(-1);
        }
        /** How many entries the cache may hold; -1 if the room is in bytes. */
        public long entries() { Long amount = amount("objects"); return amount == null ? 65536 : amount; }
        /** How much the costs may add up to; -1 if the room is in entries or nothing is said. */
        public long weight() { Long amount = amount("bytes"); return amount == null ? -1 : amount; }
        /** The virtual time in nanoseconds. */
        public LongSupplier clock() { asked.add("clock"); return kit.now::get; }
        public String directory() { asked.add("directory"); return (String) open.get("directory"); }
        public Listener tell() { asked.add("events"); return kit::tell; }
        /** The store behind the cache: null is a removal. What it throws stops the write. */
        public BiConsumer<String, byte[]> writer() { asked.add("writer"); return kit::write; }
        /** The one of all entries; asking for it states the deviation oneTimeToLive. */
        public Long timeToLive() { asked.add("oneTimeToLive"); return (Long) open.get("timeToLiveNanoseconds"); }
        public Long timeToIdle() { asked.add("timeToIdle"); return (Long) open.get("timeToIdleNanoseconds"); }
        public Long stale() { asked.add("staleServe"); return (Long) open.get("staleNanoseconds"); }
        public Long refresh() { asked.add("refresh"); return (Long) open.get("refreshNanoseconds"); }
        /** Whether the hash of keys is to be one of few values. */
        public boolean collide() { asked.add("collide"); return Boolean.TRUE.equals(open.get("collide")); }
        public Long format() { return (Long) open.get("format"); }
    }

    /** The features of which a cache with all these methods has one. */
    static final String[][] BY_METHODS = {
        {"putIfAbsent", "putIfAbsent"}, {"replace", "replace exchange"}, {"compareAndSet", "compareAndSet"}, {"take", "take"}, {"bulk", "getMany removeMany"}, {"bulkPut", "putMany"},
        {"update", "update"}, {"counter", "increment"}, {"rename", "rename"}, {"touch", "touch"}, {"remainingTime", "remainingTime"},
        {"cost", "cost"}, {"resize", "resize"}, {"statistics", "statistics"}, {"listener", "listen"}, {"tags", "removeTagged"},
        {"versions", "mark setIfMarked removeIfMarked"}, {"pin", "pin unpin"}, {"loader", "load"}, {"cancel", "load giveUp"},
        {"walks", "firstKeys"}, {"diskUsage", "diskUsage"}, {"tiers", "dropMemory failLower"}, {"groupLimits", "limitGroup"},
        {"countsSleep", "sleep"}};
    static final Set<String> OPERATIONS = new HashSet<>(List.of(("put get contains remove removeAll count keys flush maintain close cost "
        + "firstKeys putIfAbsent replace compareAndSet exchange take getMany removeMany putMany advance sleep moveWallClock touch "
        + "remainingTime resize statistics removeTagged mark setIfMarked removeIfMarked update increment rename pin unpin dropMemory "
        + "failLower diskUsage limitGroup listen load giveUp face").split(" ")));

    /** These mean the whole cache, by whatever face they come. */
    static final Set<String> WHOLE = Set.of("advance", "sleep", "moveWallClock", "flush", "maintain", "close");

    static Map<String, Method> methods(Class<?> type) {
        Map<String, Method> found = new HashMap<>();
        for (Method method : type.getMethods()) if (OPERATIONS.contains(method.getName())) {
            if (method.getDeclaringClass() == Object.class || method.isBridge()) continue;
            method.setAccessible(true);
            if (found.put(method.getName(), method) != null) throw new IllegalArgumentException("there are two methods '" + method.getName() + "'");
        }
        return found;
    }

    static boolean takesTerms(Method method) {
        int count = method == null ? 0 : method.getParameterCount();
        return count > 0 && method.getParameterTypes()[count - 1] == Terms.class;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> laid(Map<String, Object> over, Map<String, Object> under) {
        over.forEach((name, value) -> {
            if (value == null) under.remove(name);
            else if (name.equals("features") || name.equals("deviations")) {
                Set<String> all = new TreeSet<>((List<String>) under.getOrDefault(name, List.of()));
                all.addAll((List<String>) value);
                for (String word : (List<String>) value) if (word.startsWith("-")) { all.remove(word); all.remove(word.substring(1)); }
                under.put(name, new ArrayList<>(all));
            } else if (value instanceof Map && !name.equals("capacity"))
                under.put(name, laid((Map<String, Object>) value, (Map<String, Object>) under.getOrDefault(name, new TreeMap<>())));
            else under.put(name, value);
        });
        return under;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> derived(Map<String, Method> methods, Set<String> asked, String over) {
        Set<String> features = new TreeSet<>();
        for (String[] pair : BY_METHODS) if (methods.keySet().containsAll(List.of(pair[1].split(" ")))) features.add(pair[0]);
        for (String name : List.of("events", "writer", "timeToIdle", "staleServe", "refresh", "collide")) if (asked.contains(name)) features.add(name);
        if (takesTerms(methods.get("put")) && (asked.contains("clock") || methods.containsKey("advance"))) features.add("timeToLive");
        if (asked.contains("oneTimeToLive")) features.add("timeToLive");
        Map<String, Object> claims = new TreeMap<>(), storage = new TreeMap<>(Map.of("keyBytesMax", 65536L, "allowsEmptyKey", true,
            "valueBytesMax", 1L << 24, "retains", true, "iterates", methods.containsKey("count") && methods.containsKey("keys"),
            "durability", "volatile", "isConcurrent", false));
        claims.put("storage", storage);
        claims.put("features", new ArrayList<>(features));
        List<String> deviations = new ArrayList<>();
        if (asked.contains("oneTimeToLive")) deviations.add("oneTimeToLive");
        if (!methods.containsKey("contains")) deviations.add("containsIsGet"); // the suite then looks by get
        claims.put("deviations", deviations);
        List<String> units = new ArrayList<>();
        for (String unit : List.of("objects", "bytes")) if (asked.contains(unit)) units.add(unit);
        if (!units.isEmpty()) claims.put("room", new TreeMap<>(Map.of("capacity", Map.of("amount", 65536L, "unit", units.get(0)),
            "isAdjustable", true, "units", units, "isStrict", true)));
        return over == null ? claims : laid((Map<String, Object>) new Reader(over).value(), claims);
    }

    static byte[] bytes(Object hex) {
        String text = (String) hex;
        byte[] made = new byte[text.length() / 2];
        for (int i = 0; i < made.length; i++)
            made[i] = (byte) (Character.digit(text.charAt(2 * i), 16) << 4 | Character.digit(text.charAt(2 * i + 1), 16));
        return made;
    }
    static String text(Object hex) { return new String(bytes(hex), StandardCharsets.ISO_8859_1); }
    static String hex(byte[] bytes) {
        char[] made = new char[2 * bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            made[2 * i] = Character.forDigit(bytes[i] >> 4 & 15, 16);
            made[2 * i + 1] = Character.forDigit(bytes[i] & 15, 16);
        }
        return new String(made);
    }
    static String hex(String key) { return hex(key.getBytes(StandardCharsets.ISO_8859_1)); }
    static Map<String, Object> entry(byte[] value) { return value == null ? null : Map.of("value", hex(value)); }
    static Map<String, Object> one(String name, Object value) { Map<String, Object> made = new HashMap<>(); made.put(name, value); return made; }
    static List<String> texts(Object keys) {
        List<String> made = new ArrayList<>();
        for (Object key : (List<?>) keys) made.add(text(key));
        return made;
    }

    /** An open cache with what the kit does for it. */
    static final class Instance {
        final AtomicLong now = new AtomicLong();
        final Map<String, Object> claims;
        final Map<String, Method> methods;
        final Set<String> asked, failing = ConcurrentHashMap.newKeySet();
        final Set<?> features;
        final List<Map<String, Object>> events = new ArrayList<>(), writes = new ArrayList<>();
        volatile boolean isClosed, fails;
        Object cache;

        Instance(Map<String, Object> claims, Map<String, Method> methods, Set<String> asked) {
            this.claims = claims;
            this.methods = methods;
            this.asked = asked;
            features = claims == null ? Set.of() : new HashSet<>((List<?>) claims.get("features"));
        }

        void tell(String key, byte[] value, String cause) {
            synchronized (events) { events.add(Map.of("key", hex(key), "value", hex(value), "cause", cause)); }
        }
        void write(String key, byte[] value) {
            if (fails || failing.contains(key)) throw new Refused("inputOutput", "the writer fails");
            synchronized (writes) { writes.add(value == null ? Map.of("key", hex(key)) : Map.of("key", hex(key), "value", hex(value))); }
        }
        static List<Object> taken(List<Map<String, Object>> list) {
            synchronized (list) { List<Object> all = new ArrayList<>(list); list.clear(); return all; }
        }

        /** Refuses keys and values outside of what is claimed. A refused value ends the old one too. */
        void limit(Map<String, Object> step, long face) throws Throwable {
            Map<?, ?> store = (Map<?, ?>) claims.get("storage");
            List<Object> keys = new ArrayList<>((List<?>) step.getOrDefault("keys", List.of()));
            for (String name : List.of("key", "other")) if (step.containsKey(name)) keys.add(step.get(name));
            for (Object key : keys) if (((String) key).length() > 2 * (Long) store.get("keyBytesMax") || key.equals("") && store.get("allowsEmptyKey") != Boolean.TRUE)
                throw new Refused("keyRefused", "the claims allow no key of this length");
            if (!step.containsKey("value") || ((String) step.get("value")).length() <= 2 * (Long) store.get("valueBytesMax")) return;
            Map<String, Object> removal = one("operation", "remove");
            for (String name : List.of("key", "group")) if (step.containsKey(name)) removal.put(name, step.get(name));
            perform(removal, face);
            throw new Refused("valueRefused", "the claims allow no value of this length");
        }

        Map<String, Object> instead(String name, Map<String, Object> step) {
            switch (name) {
            case "flush": case "maintain": break;
            case "close": isClosed = true; break;
            case "advance":
                if (!asked.contains("clock")) return null;
                now.updateAndGet(time -> { long sum = time + (Long) step.get("amount"); return sum < time ? Long.MAX_VALUE : sum; });
                break;
            case "events": return asked.contains("events") ? one("events", taken(events)) : null;
            case "writes": return asked.contains("writer") ? one("writes", taken(writes)) : null;
            case "failWrites": if (!asked.contains("writer")) return null; fails = step.get("amount").equals(1L); break;
            case "failWritesOf": if (!asked.contains("writer")) return null; failing.clear(); failing.addAll(texts(step.get("keys"))); break;
            default: return null;
            }
            return one("done", true);
        }

        /** Does one step by a face and says what came of it. */
        @SuppressWarnings("unchecked")
        Map<String, Object> perform(Map<String, Object> step, long face) throws Throwable {
            String name = (String) step.get("operation");
            if (name.equals("pause")) { Thread.sleep((Long) step.get("amount")); return one("done", true); }
            if (isClosed && !name.equals("close") && !name.equals("writes")) throw new Refused("closed", "the cache is closed");
            if (face != 0 && !methods.containsKey("face")) throw new Refused("unsupported", "this cache has no other face");
            Method method = methods.get(name);
            if (method == null) {
                Map<String, Object> result = instead(name, step);
                if (result != null) return result;
                throw new Refused("unsupported", "'" + name + "' is not among what this cache does");
            }
            limit(step, face);
            Terms terms = new Terms((Map<String, Object>) step.getOrDefault("terms", Map.of()), (String) step.get("group"));
            boolean takes = takesTerms(method);
            if (terms.timeToLive != null && !(takes && features.contains("timeToLive")) || !terms.tags.isEmpty() && !(takes && features.contains("tags"))
                || terms.group != null && !(takes && features.contains("groups")) || terms.cost != 1 && !takes)
                throw new Refused("unsupported", "'" + name + "' of this cache has no such term");
            if (name.equals("putMany")) return putMany(method, (List<Map<String, Object>>) step.get("items"), face);
            AtomicInteger calls = new AtomicInteger();
            List<Object> arguments = arguments(name, method, step, calls);
            if (takes) arguments.add(terms);
            try {
                Object result = method.invoke(faced(name, face), arguments.toArray());
                if (name.equals("close")) isClosed = true;
                return answer(name, result, calls);
            } catch (InvocationTargetException thrown) {
                for (Throwable cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
                    if (cause instanceof OriginFailed && name.equals("load")) {
                        Map<String, Object> made = one("loaded", "failed");
                        made.put("calls", calls.get());
                        return made;
                    }
                    if (cause instanceof Refused) throw cause;
                }
                throw thrown.getCause();
            }
        }

        /** What does an operation by a face. */
        Object faced(String name, long face) throws Throwable {
            if (face == 0 || WHOLE.contains(name)) return cache;
            return methods.get("face").invoke(cache, arguments("face", methods.get("face"), one("amount", face), null).toArray());
        }

        List<Object> arguments(String name, Method method, Map<String, Object> step, AtomicInteger calls) {
            Deque<Object> texts = new ArrayDeque<>(), values = new ArrayDeque<>();
            for (String member : List.of("key", "other")) if (step.containsKey(member)) texts.add(text(step.get(member)));
            if (step.containsKey("tag")) texts.add(step.get("tag"));
            if (step.containsKey("expected")) values.add(bytes(((Map<?, ?>) step.get("expected")).get("value")));
            if (step.containsKey("value")) values.add(bytes(step.get("value")));
            List<Object> made = new ArrayList<>();
            for (Class<?> type : method.getParameterTypes()) {
                if (type == Terms.class) continue;
                if (type == String.class || type == Object.class) made.add(texts.remove());
                else if (type == byte[].class) made.add(values.remove());
                else if (type == List.class || type == Collection.class) made.add(texts(step.get("keys")));
                else if (type == long.class) made.add(step.get("amount"));
                else if (type == int.class) made.add((int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, (Long) step.get("amount"))));
                else if (type == boolean.class) made.add(step.get("amount").equals(1L));
                else if (type == UnaryOperator.class) made.add(change(step));
                else if (type == Supplier.class) made.add(origin(step, calls));
                else if (type == Listener.class) made.add(listener(step));
                else throw new Refused("unsupported", "'" + name + "' takes a " + type.getName() + ", which no operation has");
            }
            return made;
        }

        /** Does a step whose answer is not asked for. */
        @SuppressWarnings("unchecked")
        void ignore(Object step) {
            try { perform((Map<String, Object>) step, 0); } catch (Throwable ignored) { if (!(ignored instanceof Refused)) ignored.printStackTrace(); }
        }

        Supplier<byte[]> origin(Map<String, Object> step, AtomicInteger calls) {
            return () -> {
                calls.incrementAndGet();
                for (Object other : (List<?>) step.getOrDefault("meanwhile", List.of())) ignore(other);
                if (step.get("origin").equals("failure")) throw new OriginFailed();
                return step.get("origin").equals("value") ? bytes(step.get("value")) : null;
            };
        }

        UnaryOperator<byte[]> change(Map<String, Object> step) {
            return old -> {
                if (step.containsKey("value")) return bytes(step.get("value"));
                if (step.get("word").equals("remove")) return null;
                long number = 0;
                try { if (old != null) number = Long.parseLong(new String(old, StandardCharsets.ISO_8859_1)); } catch (NumberFormatException none) { }
                return Long.toString(number == Long.MAX_VALUE ? number : number + 1).getBytes(StandardCharsets.ISO_8859_1);
            };
        }

        Listener listener(Map<String, Object> step) {
            if (step.get("word").equals("none")) return null;
            return (key, value, cause) -> {
                if (step.get("word").equals("slow")) try { Thread.sleep((Long) step.get("amount")); } catch (InterruptedException stopped) { }
                tell(key, value, cause);
                for (Object item : (List<?>) step.getOrDefault("items", List.of())) ignore(item);
                if (step.get("word").equals("fails")) throw new IllegalStateException("the listener fails");
            };
        }

        Map<String, Object> putMany(Method method, List<Map<String, Object>> items, long face) throws Throwable {
            List<Integer> places = new ArrayList<>();
            List<String> keys = new ArrayList<>();
            List<byte[]> values = new ArrayList<>();
            List<Object> flags = new ArrayList<>(Collections.nCopies(items.size(), false));
            for (int i = 0; i < items.size(); i++) try {
                limit(items.get(i), face);
                places.add(i);
                keys.add(text(items.get(i).get("key")));
                values.add(bytes(items.get(i).get("value")));
            } catch (Refused refused) { }
            List<?> stored;
            try { stored = (List<?>) method.invoke(faced("putMany", face), keys, values); } catch (InvocationTargetException thrown) { throw thrown.getCause(); }
            for (int i = 0; i < places.size(); i++) flags.set(places.get(i), stored.get(i));
            return one("flags", flags);
        }

        Map<String, Object> answer(String name, Object result, AtomicInteger calls) {
            switch (name) {
            case "get": case "exchange": case "take": case "update": return one("entry", entry((byte[]) result));
            case "remainingTime": return one("time", result);
            case "statistics": return one("statistics", result);
            case "load":
                Map<String, Object> made = one("loaded", result == null ? "nothing" : "value");
                made.put("calls", calls.get());
                if (result != null) made.put("entry", entry((byte[]) result));
                return made;
            case "keys": case "firstKeys":
                List<Object> keys = new ArrayList<>();
                for (Object key : (Iterable<?>) result) keys.add(hex((String) key));
                return one("keys", keys);
            case "getMany":
                List<Object> entries = new ArrayList<>();
                for (Object value : (List<?>) result) entries.add(entry((byte[]) value));
                return one("entries", entries);
            default: return result instanceof Boolean ? one("flag", result) : result instanceof Number ? one("number", result) : one("done", true);
            }
        }
    }

    /** Reads JSON as maps, lists, strings, longs, booleans and null. */
    static final class Reader {
        final String text;
        int at;
        Reader(String text) { this.text = text; }

        char next() { while (" \n\t\r".indexOf(text.charAt(at)) >= 0) at++; return text.charAt(at); }

        Object value() {
            char first = next();
            if (first == '{' || first == '[') {
                Map<String, Object> map = new TreeMap<>();
                List<Object> list = new ArrayList<>();
                char close = first == '{' ? '}' : ']';
                for (at++; next() != close;) {
                    if (close == '}') { String name = string(); next(); at++; map.put(name, value()); } else list.add(value());
                    if (next() == ',') at++;
                }
                at++;
                return close == '}' ? map : list;
            }
            if (first == '"') return string();
            int start = at;
            while (at < text.length() && ",]} \n\t\r".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            return word.equals("null") ? null : word.equals("true") || word.equals("false") ? (Object) word.equals("true") : (Object) Long.valueOf(word);
        }

        String string() {
            next();
            int end = text.indexOf('"', ++at), escape = text.indexOf('\\', at);
            if (escape < 0 || escape > end) { String plain = text.substring(at, end); at = end + 1; return plain; }
            StringBuilder made = new StringBuilder();
            for (; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) != '\\') { made.append(text.charAt(at)); continue; }
                char one = text.charAt(++at);
                int known = "ntrbf".indexOf(one);
                if (one == 'u') { made.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16)); at += 4; }
                else made.append(known < 0 ? one : "\n\t\r\b\f".charAt(known));
            }
            at++;
            return made.toString();
        }
    }

    static void print(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String comma = "{";
            for (Map.Entry<?, ?> one : ((Map<?, ?>) value).entrySet()) {
                out.append(comma);
                print(one.getKey(), out);
                out.append(':');
                print(one.getValue(), out);
                comma = ",";
            }
            out.append(comma.equals("{") ? "{}" : "}");
        } else if (value instanceof Collection) {
            String comma = "[";
            for (Object one : (Collection<?>) value) { out.append(comma); print(one, out); comma = ","; }
            out.append(comma.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            out.append('"');
            for (char one : ((String) value).toCharArray()) {
                if (one == '"' || one == '\\') out.append('\\').append(one);
                else if (one < 32) out.append(String.format("\\u%04x", (int) one));
                else out.append(one);
            }
            out.append('"');
        } else out.append(value);
    }

    static final PrintStream OUT = System.out;

    static void send(long id, Map<String, Object> answer) {
        Map<String, Object> whole = new HashMap<>(answer);
        whole.put("id", id);
        StringBuilder text = new StringBuilder();
        print(whole, text);
        byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
        if (body.length > FRAME_MAX) { send(id, one("error", Map.of("code", "inputOutput", "message", "an answer too long"))); return; }
        byte[] frame = ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).array();
        synchronized (OUT) { OUT.write(frame, 0, frame.length); OUT.flush(); }
    }

    /** Answers Assay's requests over caches that `open` makes until the pipe is closed, several at once if the claims say so. */
    @SuppressWarnings("unchecked")
    public static void serve(String name, String claims, Function<Setup, Object> open) throws Exception {
        System.setOut(System.err); // what a library prints must not get between the frames
        Set<String> asked = ConcurrentHashMap.newKeySet();
        Path folder = Files.createTempDirectory("assay-probe-");
        Object probe = open.apply(new Setup(Map.of("directory", folder.toString()), new Instance(null, Map.of(), asked), asked));
        Map<String, Method> methods = methods(probe.getClass());
        if (methods.containsKey("close")) methods.get("close").invoke(probe);
        try (var files = Files.walk(folder)) { files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete()); }
        Map<String, Object> made = derived(methods, asked, claims);
        if (methods.containsKey("face") && !made.containsKey("faces")) {
            System.err.println("AssaySubject: there are other faces, and the claims do not say how many in all: add \"faces\": 2");
            System.exit(64);
        }
        boolean isConcurrent = ((Map<?, ?>) made.get("storage")).get("isConcurrent") == Boolean.TRUE;
        ExecutorService pool = isConcurrent ? Executors.newCachedThreadPool() : Executors.newSingleThreadExecutor();
        Map<Long, Instance> instances = new ConcurrentHashMap<>();
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        while (true) {
            int length;
            try { length = in.readInt(); } catch (EOFException end) { System.exit(0); return; }
            if (length < 0 || length > FRAME_MAX) { System.err.println("AssaySubject: a frame is too long"); System.exit(64); }
            byte[] body = in.readNBytes(length);
            Map<String, Object> request = (Map<String, Object>) new Reader(new String(body, StandardCharsets.UTF_8)).value();
            long id = (Long) request.get("id"), number = (Long) request.getOrDefault("instance", 0L);
            pool.execute(() -> {
                Map<String, Object> result;
                try {
                    result = one("done", true);
                    if (request.containsKey("hello")) {
                        if (!((List<?>) ((Map<?, ?>) request.get("hello")).get("versions")).contains(1L))
                            throw new Refused("unsupported", "this adapter speaks version 1");
                        result = one("hello", Map.of("version", 1, "name", name, "claims", made, "needsDirectory", asked.contains("directory")));
                    } else if (request.containsKey("open")) {
                        Map<String, Object> given = (Map<String, Object>) request.get("open");
                        Instance instance = new Instance(made, methods, asked);
                        instance.now.set((Long) given.getOrDefault("nowNanoseconds", 0L));
                        instance.cache = open.apply(new Setup(given, instance, new HashSet<>()));
                        instances.put(number, instance);
                    } else if (request.containsKey("release")) instances.remove(number);
                    else result = instances.get(number).perform((Map<String, Object>) request.get("step"), (Long) request.getOrDefault("face", 0L));
                } catch (Refused refused) {
                    result = one("error", Map.of("code", refused.code, "message", refused.getMessage()));
                } catch (Throwable error) {
                    error.printStackTrace();
                    result = one("error", Map.of("code", "inputOutput", "message", error.toString()));
                }
                send(id, result);
            });
        }
    }
}
