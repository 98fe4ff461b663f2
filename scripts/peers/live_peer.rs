//! One pass of Rust's lru 0.7.8 under a std Mutex, for scripts/peers-live: prints figures as JSON. Keys, values, trace and warm-up
//! are those of Assay's own passes.

use lru::LruCache;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Instant;

const BLOCK: usize = 64;
const SAMPLE: u64 = 16; // one request in so many is timed, on average

type Value = Arc<[u8]>;

struct Peer(Mutex<LruCache<Arc<str>, Value>>);

impl Peer {
    /// A value that is made available is held beyond the lock, as others' are.
    fn get(&self, key: &Arc<str>) -> Option<Value> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &Arc<str>, value: &Value) {
        let _left = self.0.lock().unwrap().put(key.clone(), value.clone());
    }
}

struct Load {
    peer: Peer,
    order: Vec<u32>,
    keys: Vec<Arc<str>>,
    values: Vec<Value>,
    only_reads: bool,
    is_timed: bool,
}

impl Load {
    /// Whoever asks for a value reads it.
    fn read(&self, object: usize) -> bool {
        self.peer.get(&self.keys[object]).map_or(false, |value| value[0] == object as u8)
    }

    fn write(&self, object: usize) {
        if !self.only_reads {
            self.peer.put(&self.keys[object], &self.values[object]);
        }
    }

    /// Makes the requests of one thread; returns its hits and the times of a sample in nanoseconds: of reads alone, and with the
    /// writes that followed.
    fn drive(&self, cursor: &AtomicUsize, count: usize, seed: u64, is_timed: bool) -> (usize, Vec<(u64, u64)>) {
        let (mut hits, mut times, mut random) = (0, Vec::new(), seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        loop {
            let start = cursor.fetch_add(BLOCK, Ordering::Relaxed);
            if start >= count {
                return (hits, times);
            }
            let mut place = start % self.order.len();
            for _ in start..count.min(start + BLOCK) {
                let object = self.order[place] as usize;
                place = if place + 1 == self.order.len() { 0 } else { place + 1 };
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                if is_timed && random % SAMPLE == 0 {
                    let before = Instant::now();
                    let is_hit = self.read(object);
                    let read = before.elapsed().as_nanos() as u64;
                    if !is_hit {
                        self.write(object);
                    }
                    hits += is_hit as usize;
                    times.push((read, before.elapsed().as_nanos() as u64));
                } else if self.read(object) {
                    hits += 1;
                } else {
                    self.write(object);
                }
            }
        }
    }
}

/// The objects of an oracleGeneral trace, renumbered in order of first appearance.
fn read_trace(path: &str) -> (Vec<u32>, usize) {
    let raw = std::fs::read(path).unwrap();
    let mut numbers = HashMap::new();
    let order = raw
        .chunks_exact(24)
        .map(|record| {
            let next = numbers.len() as u32;
            *numbers.entry(u64::from_le_bytes(record[4..12].try_into().unwrap())).or_insert(next)
        })
        .collect();
    (order, numbers.len())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let place = arguments.iter().position(|word| word == name).expect(name);
        arguments[place + 1].clone()
    };
    let number = |name: &str| option(name).parse::<usize>().unwrap();
    let pass = arguments[2].as_str();
    let (mut order, objects) = read_trace(&option("--trace"));
    let capacity = number("--capacity").min(objects);
    let (requests, threads) = (number("--requests"), number("--threads"));
    if pass == "reads" {
        order.iter_mut().for_each(|object| *object %= capacity as u32);
    }
    let load = Arc::new(Load {
        peer: Peer(Mutex::new(LruCache::new(capacity))),
        order,
        keys: (0..objects).map(|object| format!("object/{:013}", object).into()).collect(),
        values: (0..objects).map(|object| vec![object as u8; number("--value-bytes")].into()).collect(),
        only_reads: pass == "reads",
        is_timed: pass == "latency",
    });
    if load.only_reads {
        (0..capacity).for_each(|object| load.peer.put(&load.keys[object], &load.values[object]));
    } else {
        load.drive(&AtomicUsize::new(0), load.order.len(), 0, false);
    }
    let cursor = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(Barrier::new(threads + 1));
    let workers: Vec<_> = (0..threads)
        .map(|thread| {
            let (load, cursor, gate) = (load.clone(), cursor.clone(), gate.clone());
            std::thread::spawn(move || {
                gate.wait();
                load.drive(&cursor, requests, thread as u64 + 1, load.is_timed)
            })
        })
        .collect();
    gate.wait();
    let start = Instant::now();
    let results: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
    let seconds = start.elapsed().as_secs_f64();
    let hits: usize = results.iter().map(|result| result.0).sum();
    let (mut reads, mut requests_timed): (Vec<u64>, Vec<u64>) = results.into_iter().flat_map(|result| result.1).unzip();
    reads.sort_unstable();
    requests_timed.sort_unstable();
    let timed = match reads.len() {
        0 => String::new(),
        count => format!(
            ", \"p50Nanoseconds\": {}, \"p99Nanoseconds\": {}, \"readP99Nanoseconds\": {}",
            requests_timed[count / 2],
            requests_timed[count * 99 / 100],
            reads[count * 99 / 100]
        ),
    };
    let entries = load.peer.0.lock().unwrap().len();
    println!(
        "{{\"requests\": {}, \"hits\": {}, \"seconds\": {:.9}, \"entries\": {}{}}}", requests, hits, seconds, entries, timed);
}
