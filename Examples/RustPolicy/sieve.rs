// SIEVE as a plug-in: a hand evicts the first object that was not asked for since it last passed.
// Zhang et al., "SIEVE is simpler than LRU", NSDI 2024.
mod assay_plugin;

use assay_plugin::*;
use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::null;
use std::slice;

/// The neighbours of an object in the queue.
#[derive(Clone, Copy)]
struct Node {
    older: u32,
    newer: u32,
}

const ABSENT: u8 = 0;
const RESIDENT: u8 = 1;
const VISITED: u8 = 2;

struct Sieve {
    capacity: u64,
    weight: u64,
    /// The queue is a ring around this node, which is no object's: its `newer` is the oldest object.
    ring: u32,
    /// The next object to look at; the ring for the oldest.
    hand: u32,
    states: Vec<u8>,
    nodes: Vec<Node>,
    /// Empty where each object weighs 1.
    weights: Vec<u64>,
}

fn filled<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).ok()?;
    all.resize(count, value);
    Some(all)
}

impl Sieve {
    fn new(config: &PolicyConfig) -> Option<Sieve> {
        let ring = u32::try_from(config.object_count).ok()?;
        let count = ring as usize;
        Some(Sieve {
            capacity: config.capacity,
            weight: 0,
            ring,
            hand: ring,
            states: filled(ABSENT, count)?,
            nodes: filled(Node { older: ring, newer: ring }, count + 1)?,
            weights: filled(0, if config.unit == BYTES { count } else { 0 })?,
        })
    }

    fn node(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    fn state(&mut self, id: u32) -> &mut u8 {
        &mut self.states[id as usize]
    }

    /// Moves the hand to the first object that was not visited. There must be one.
    fn settle_hand(&mut self) -> u32 {
        loop {
            if self.hand == self.ring {
                self.hand = self.node(self.ring).newer;
            }
            let hand = self.hand;
            if *self.state(hand) != VISITED {
                return hand;
            }
            *self.state(hand) = RESIDENT;
            self.hand = self.node(hand).newer;
        }
    }

    fn take_out(&mut self, id: u32) {
        let Node { older, newer } = *self.node(id);
        if self.hand == id {
            self.hand = newer;
        }
        self.node(older).newer = newer;
        self.node(newer).older = older;
        *self.state(id) = ABSENT;
    }

    fn make_newest(&mut self, id: u32) {
        let ring = self.ring;
        let older = self.node(ring).older;
        *self.node(id) = Node { older, newer: ring };
        self.node(older).newer = id;
        self.node(ring).older = id;
        *self.state(id) = RESIDENT;
    }

    fn weight_of(&self, id: u32) -> u64 {
        self.weights.get(id as usize).copied().unwrap_or(1)
    }

    fn remove(&mut self, id: u32) {
        self.take_out(id);
        self.weight -= self.weight_of(id);
    }

    fn miss(&mut self, request: &Request, sink: &Sink) {
        while self.weight + request.weight > self.capacity {
            let victim = self.settle_hand();
            self.remove(victim);
            (sink.evicted)(sink.context, victim);
        }
        self.make_newest(request.id);
        self.weight += request.weight;
        if let Some(weight) = self.weights.get_mut(request.id as usize) {
            *weight = request.weight;
        }
    }

    /// Serves a request where the cache is full of objects that weigh 1; returns who left, the object itself at a hit.
    fn exchange(&mut self, id: u32) -> u32 {
        if *self.state(id) != ABSENT {
            *self.state(id) = VISITED;
            return id;
        }
        let victim = self.settle_hand();
        self.take_out(victim);
        self.make_newest(id);
        victim
    }
}

/// Asks the processor to fetch a value that is needed soon.
fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch::<_MM_HINT_T0>((value as *const T).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

unsafe extern "C" fn create(config: *const PolicyConfig, cache: *mut *mut c_void, _: *mut Error) -> Status {
    match Sieve::new(&*config) {
        Some(sieve) => {
            *cache = Box::into_raw(Box::new(sieve)).cast();
            OK
        }
        None => NO_MEMORY,
    }
}

unsafe extern "C" fn destroy(cache: *mut c_void) {
    drop(Box::from_raw(cache.cast::<Sieve>()));
}

unsafe extern "C" fn hit(cache: *mut c_void, request: *const Request, _: *mut Error) -> Status {
    *(*cache.cast::<Sieve>()).state((*request).id) = VISITED;
    OK
}

unsafe extern "C" fn miss(cache: *mut c_void, request: *const Request, sink: *const Sink, _: *mut Error) -> Status {
    (*cache.cast::<Sieve>()).miss(&*request, &*sink);
    YES
}

unsafe extern "C" fn remove(cache: *mut c_void, id: u32, _: *mut Error) -> Status {
    (*cache.cast::<Sieve>()).remove(id);
    OK
}

unsafe extern "C" fn next_victim(cache: *mut c_void, _: *const Request, victim: *mut u32, _: *mut Error) -> Status {
    let sieve = &mut *cache.cast::<Sieve>();
    if sieve.weight == 0 && sieve.node(sieve.ring).newer == sieve.ring {
        return NO;
    }
    *victim = sieve.settle_hand();
    YES
}

unsafe extern "C" fn exchange(cache: *mut c_void, block: *const Block, left: *mut u32, _: *mut Error) -> Status {
    let sieve = &mut *cache.cast::<Sieve>();
    let (count, ahead) = ((*block).count as usize, (*block).ahead as usize);
    let ids = slice::from_raw_parts((*block).ids, count + ahead);
    for position in 0..count {
        let soon = ids[position + ahead] as usize;
        prefetch(&sieve.states[soon]);
        prefetch(&sieve.nodes[soon]);
        *left.add(position) = sieve.exchange(ids[position]);
    }
    OK
}

const NODE_BYTES: usize = size_of::<Node>() + size_of::<u8>();
static MEMORY: Memory = Memory {
    per_object: NODE_BYTES as f64,
    per_resident: 0.0,
    per_ghost: 0.0,
    per_object_in_bytes: (NODE_BYTES + size_of::<u64>()) as f64,
    ghosts: 0.0,
};

static SIEVE: Policy = Policy {
    struct_size: size_of::<Policy>() as u32,
    flags: 0,
    name: c"rust-sieve".as_ptr(),
    family: c"recency".as_ptr(),
    summary: c"SIEVE, written in Rust.".as_ptr(),
    citation: c"Zhang et al., NSDI 2024".as_ptr(),
    objects_only: null(),
    memory: &MEMORY,
    parameters: null(),
    parameter_count: 0,
    create,
    destroy,
    hit: Some(hit),
    miss,
    remove,
    next_victim: Some(next_victim),
    exchange: Some(exchange),
};

static POLICIES: [&Policy; 1] = [&SIEVE];

static PLUGIN: Plugin = Plugin {
    version: VERSION,
    struct_size: size_of::<Plugin>() as u32,
    policies: POLICIES.as_ptr(),
    policy_count: 1,
    backends: null(),
    backend_count: 0,
};

/// What this library has.
#[no_mangle]
pub extern "C" fn assay_plugin_entry() -> *const Plugin {
    &PLUGIN
}
