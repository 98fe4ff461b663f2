import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.CacheBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * One pass of one cache of the JVM, for scripts/peers-live: prints figures as JSON. Keys, values, trace and warm-up are those of
 * Assay's own passes; so that the compiler has seen what is timed, as many requests as JIT_REQUESTS go to another cache first.
 */
final class LivePeer {
  static final int JIT_REQUESTS = 5_000_000;
  static final int BLOCK = 64;
  static final int SAMPLE = 16; // one request in so many is timed, on average

  /** A cache as the passes use it. */
  interface Peer {
    /** The value of a key, null if there is none. */
    byte[] get(String key);
    void put(String key, byte[] value);
    /** The entries there are, after what was put off. */
    long entries();
  }

  static final class CaffeinePeer implements Peer {
    final com.github.benmanes.caffeine.cache.Cache<String, byte[]> cache;

    CaffeinePeer(int capacity, boolean isAlone) {
      Caffeine<Object, Object> builder = Caffeine.newBuilder().maximumSize(capacity).initialCapacity(capacity);
      if (isAlone) builder.executor(Runnable::run);
      cache = builder.build();
    }
    public byte[] get(String key) { return cache.getIfPresent(key); }
    public void put(String key, byte[] value) { cache.put(key, value); }
    public long entries() {
      cache.cleanUp();
      return cache.estimatedSize();
    }
  }

  static final class GuavaPeer implements Peer {
    final com.google.common.cache.Cache<String, byte[]> cache;

    GuavaPeer(int capacity, int threads) {
      cache = CacheBuilder.newBuilder().maximumSize(capacity).concurrencyLevel(threads == 1 ? 1 : 64).build();
    }
    public byte[] get(String key) { return cache.getIfPresent(key); }
    public void put(String key, byte[] value) { cache.put(key, value); }
    public long entries() { return cache.size(); }
  }

  final String subject;
  final Map<String, String> options = new HashMap<>();
  final int capacity, requests, threads;
  final boolean onlyReads, isTimed;
  int[] order;
  String[] keys;
  byte[][] values;

  LivePeer(String[] arguments) throws IOException {
    subject = arguments[0];
    for (int i = 2; i < arguments.length; i += 2) options.put(arguments[i], arguments[i + 1]);
    requests = Integer.parseInt(options.get("--requests"));
    threads = Integer.parseInt(options.get("--threads"));
    onlyReads = arguments[1].equals("reads");
    isTimed = arguments[1].equals("latency");
    readTrace();
    capacity = Math.min(Integer.parseInt(options.get("--capacity")), keys.length);
  }

  /** The objects of an oracleGeneral trace, renumbered in order of first appearance. */
  void readTrace() throws IOException {
    ByteBuffer raw = ByteBuffer.wrap(Files.readAllBytes(Path.of(options.get("--trace")))).order(ByteOrder.LITTLE_ENDIAN);
    HashMap<Long, Integer> numbers = new HashMap<>();
    order = new int[raw.capacity() / 24];
    for (int i = 0; i < order.length; i++) {
      Integer number = numbers.putIfAbsent(raw.getLong(24 * i + 4), numbers.size());
      order[i] = number == null ? numbers.size() - 1 : number;
    }
    keys = new String[numbers.size()];
    values = new byte[numbers.size()][];
    for (int object = 0; object < keys.length; object++) {
      keys[object] = String.format("object/%013d", object);
      values[object] = new byte[Integer.parseInt(options.get("--value-bytes"))];
      Arrays.fill(values[object], (byte) object);
    }
  }

  Peer make() {
    switch (subject) {
      case "caffeine": return new CaffeinePeer(capacity, false);
      case "caffeine-alone": return new CaffeinePeer(capacity, true);
      case "guava": return new GuavaPeer(capacity, threads);
      default: throw new IllegalArgumentException(subject);
    }
  }

  /** Whoever asks for a value reads it. */
  boolean read(Peer peer, int object) {
    byte[] value = peer.get(keys[object]);
    return value != null && value[0] == (byte) object;
  }

  void write(Peer peer, int object) { if (!onlyReads) peer.put(keys[object], values[object]); }

  /** What one thread has done, with the times in nanoseconds of a sample: of reads alone, and with the writes that followed. */
  static final class Outcome {
    long hits;
    int timed;
    final long[] reads, requests;

    Outcome(int room) {
      reads = new long[room];
      requests = new long[room];
    }
  }

  /** Makes the requests of one thread. */
  Outcome drive(Peer peer, AtomicInteger cursor, int count, int[] order, SplittableRandom random) {
    Outcome outcome = new Outcome(isTimed && random != null ? count / 4 + 1 : 0);
    for (int start; (start = cursor.getAndAdd(BLOCK)) < count; ) {
      int end = Math.min(count, start + BLOCK), place = start % order.length;
      for (int i = start; i < end; i++) {
        int object = order[place];
        if (++place == order.length) place = 0;
        boolean isHit;
        if (outcome.reads.length > outcome.timed && random.nextInt(SAMPLE) == 0) {
          long before = System.nanoTime();
          isHit = read(peer, object);
          outcome.reads[outcome.timed] = System.nanoTime() - before;
          if (!isHit) write(peer, object);
          outcome.requests[outcome.timed++] = System.nanoTime() - before;
        } else {
          isHit = read(peer, object);
          if (!isHit) write(peer, object);
        }
        if (isHit) outcome.hits++;
      }
    }
    return outcome;
  }

  /** Makes requests by all threads; returns the nanoseconds that they took. */
  long drive(Peer peer, int count, int[] order, Outcome[] results) throws InterruptedException {
    AtomicInteger cursor = new AtomicInteger();
    CountDownLatch gate = new CountDownLatch(1);
    Thread[] workers = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      int thread = t;
      workers[t] = new Thread(() -> {
        try { gate.await(); } catch (InterruptedException e) { return; }
        results[thread] = drive(peer, cursor, count, order, new SplittableRandom(thread));
      });
      workers[t].start();
    }
    long start = System.nanoTime();
    gate.countDown();
    for (Thread worker : workers) worker.join();
    return System.nanoTime() - start;
  }

  void fill(Peer peer) { for (int object = 0; object < capacity; object++) peer.put(keys[object], values[object]); }

  void load() throws InterruptedException {
    int[] order = this.order.clone();
    if (onlyReads) for (int i = 0; i < order.length; i++) order[i] %= capacity;
    Outcome[] results = new Outcome[threads];
    Peer other = make();
    if (onlyReads) fill(other);
    drive(other, JIT_REQUESTS, order, results);
    Peer peer = make();
    if (onlyReads) fill(peer); else drive(peer, new AtomicInteger(), order.length, order, null);
    peer.entries();
    System.gc();
    long nanoseconds = drive(peer, requests, order, results);
    long hits = 0;
    for (Outcome part : results) hits += part.hits;
    StringBuilder text = new StringBuilder(String.format(
        "{\"requests\": %d, \"hits\": %d, \"seconds\": %.9f, \"entries\": %d", requests, hits, nanoseconds / 1e9,
        peer.entries()));
    if (isTimed) {
      long[] requests = sorted(results, part -> part.requests), reads = sorted(results, part -> part.reads);
      text.append(String.format(
          ", \"p50Nanoseconds\": %d, \"p99Nanoseconds\": %d, \"readP99Nanoseconds\": %d", requests[requests.length / 2],
          requests[requests.length * 99 / 100], reads[reads.length * 99 / 100]));
    }
    System.out.println(text.append('}'));
  }

  static long[] sorted(Outcome[] results, Function<Outcome, long[]> times) {
    return Arrays.stream(results).flatMapToLong(part -> Arrays.stream(times.apply(part)).limit(part.timed)).sorted().toArray();
  }

  static long used() {
    for (int i = 0; i < 3; i++) System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** What a full cache takes of the heap besides keys and values, and the two references to them, of 4 bytes as the JVM packs them. */
  void memory() {
    Peer warm = make();
    fill(warm);
    warm.entries();
    warm = null;
    long before = used();
    Peer peer = make();
    fill(peer);
    long entries = peer.entries(), after = used();
    System.out.printf(
        "{\"requests\": %d, \"hits\": 0, \"seconds\": 0, \"entries\": %d, \"bytesPerEntry\": %.2f}%n", capacity, entries,
        (double) (after - before) / entries - 8);
    peer.put(keys[0], values[0]);
  }

  public static void main(String[] arguments) throws Exception {
    LivePeer run = new LivePeer(arguments);
    if (arguments[1].equals("memory")) run.memory(); else run.load();
  }
}
