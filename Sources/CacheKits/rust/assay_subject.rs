//! Assay's subject protocol (docs/subject-protocol.md, version 1) for caches in Rust, in one file over the standard library.
//!
//! Implement `Cache` with a method for each operation that your cache has, and call `serve("name 1.0", claims, open)` from main. What is
//! left out answers `unsupported`: at the greeting every method is tried once on a cache that is thrown away, and what is written is
//! claimed. So is what `open` asks of its `Setup`: entries, weight, clock, tell, writer, directory, time_to_live, time_to_idle, stale, refresh, collide; a clock
//! claims a time to live for `put`. `claims` is JSON that is laid over that: {"order":"lru","storage":{"isConcurrent":true}}; null takes a
//! member away, and "-name" among the features one of these. Terms that are not claimed are answered `unsupported`. Methods take `&self`:
//! put a cache that wants `&mut self` into a Mutex.
#![allow(dead_code, unused_variables)]
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::io::FromRawFd;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FRAME_MAX: usize = 64 << 20;

extern "C" {
    fn dup(descriptor: i32) -> i32;
    fn dup2(descriptor: i32, other: i32) -> i32;
}

/// One of the protocol's codes (closed, keyRefused, valueRefused, full, corrupt, unavailable, unsupported, inputOutput) and a message; what
/// an origin fails with has the code `origin`, and a load passes it on.
#[derive(Clone, Debug)]
pub struct Refused(pub &'static str, pub String);
pub type Answer<T> = Result<T, Refused>;
pub type Bytes = Vec<u8>;
/// Is told the key, the value and the cause of what leaves: evicted, expired, replaced or removed.
pub type Listener = Arc<dyn Fn(&[u8], &[u8], &str) + Send + Sync>;
/// Loads a value, which there may not be.
pub type Origin<'a> = dyn Fn() -> Answer<Option<Bytes>> + Send + Sync + 'a;
/// Writes to the store behind the cache; no value is a removal.
pub type Writer = Arc<dyn Fn(&[u8], Option<&[u8]>) -> Answer<()> + Send + Sync>;

/// Terms of a write: no time to live is for ever.
#[derive(Clone, Default)]
pub struct Terms { pub ttl: Option<i64>, pub cost: i64, pub tags: Vec<String>, pub group: Option<String> }

pub fn unsupported<T>() -> Answer<T> { Err(Refused("unsupported", "this cache has no such operation or term".into())) }

pub trait Cache: Send + Sync {
    fn put(&self, key: &[u8], value: Bytes, terms: &Terms) -> Answer<()> { unsupported() }
    fn get(&self, key: &[u8]) -> Answer<Option<Bytes>> { unsupported() }
    fn contains(&self, key: &[u8]) -> Answer<bool> { unsupported() }
    fn remove(&self, key: &[u8]) -> Answer<bool> { unsupported() }
    fn remove_all(&self) -> Answer<()> { unsupported() }
    fn count(&self) -> Answer<i64> { unsupported() }
    fn keys(&self) -> Answer<Vec<Bytes>> { unsupported() }
    fn flush(&self) -> Answer<()> { Ok(()) }
    fn maintain(&self) -> Answer<()> { Ok(()) }
    fn close(&self) -> Answer<()> { Ok(()) }
    fn cost(&self) -> Answer<i64> { unsupported() }
    fn first_keys(&self, amount: i64) -> Answer<Vec<Bytes>> { unsupported() }
    fn put_if_absent(&self, key: &[u8], value: Bytes, terms: &Terms) -> Answer<bool> { unsupported() }
    fn replace(&self, key: &[u8], value: Bytes, terms: &Terms) -> Answer<bool> { unsupported() }
    fn compare_and_set(&self, key: &[u8], expected: Bytes, value: Bytes) -> Answer<bool> { unsupported() }
    fn exchange(&self, key: &[u8], value: Bytes) -> Answer<Option<Bytes>> { unsupported() }
    fn take(&self, key: &[u8]) -> Answer<Option<Bytes>> { unsupported() }
    fn get_many(&self, keys: &[Bytes]) -> Answer<Vec<Option<Bytes>>> { unsupported() }
    fn remove_many(&self, keys: &[Bytes]) -> Answer<i64> { unsupported() }
    fn put_many(&self, items: Vec<(Bytes, Bytes)>) -> Answer<Vec<bool>> { unsupported() }
    fn advance(&self, nanoseconds: i64) -> Answer<()> { unsupported() }
    fn sleep(&self, nanoseconds: i64) -> Answer<()> { unsupported() }
    fn move_wall_clock(&self, nanoseconds: i64) -> Answer<()> { unsupported() }
    fn touch(&self, key: &[u8], nanoseconds: i64) -> Answer<bool> { unsupported() }
    fn remaining_time(&self, key: &[u8]) -> Answer<Option<i64>> { unsupported() }
    fn resize(&self, amount: i64) -> Answer<()> { unsupported() }
    fn statistics(&self) -> Answer<Vec<(&'static str, i64)>> { unsupported() }
    fn remove_tagged(&self, tag: &str) -> Answer<()> { unsupported() }
    fn mark(&self, key: &[u8]) -> Answer<bool> { unsupported() }
    fn set_if_marked(&self, key: &[u8], value: Bytes) -> Answer<bool> { unsupported() }
    fn remove_if_marked(&self, key: &[u8]) -> Answer<bool> { unsupported() }
    fn update(&self, key: &[u8], change: &dyn Fn(Option<&[u8]>) -> Option<Bytes>) -> Answer<Option<Bytes>> { unsupported() }
    fn increment(&self, key: &[u8], amount: i64) -> Answer<i64> { unsupported() }
    fn rename(&self, key: &[u8], other: &[u8]) -> Answer<bool> { unsupported() }
    fn pin(&self, key: &[u8]) -> Answer<bool> { unsupported() }
    fn unpin(&self, key: &[u8]) -> Answer<bool> { unsupported() }
    fn drop_memory(&self) -> Answer<()> { unsupported() }
    fn fail_lower(&self, fails: bool) -> Answer<()> { unsupported() }
    fn disk_usage(&self) -> Answer<i64> { unsupported() }
    fn limit_group(&self, group: &str, amount: i64) -> Answer<()> { unsupported() }
    /// None takes the listener away.
    fn listen(&self, listener: Option<Listener>) -> Answer<()> { unsupported() }
    fn load(&self, key: &[u8], origin: &Origin, terms: &Terms) -> Answer<Option<Bytes>> { unsupported() }
    fn give_up(&self, key: &[u8]) -> Answer<()> { unsupported() }
    /// The same methods, by the face of that number, 1 or more; `claims` say how many there are: {"faces":2}.
    fn face(&self, number: i64) -> Answer<Arc<dyn Cache>> { unsupported() }
}

/// What an instance is opened with. What is asked of it is claimed.
pub struct Setup<'a> { open: &'a Json, kit: Arc<Kit>, asked: Mutex<HashSet<&'static str>> }

impl Setup<'_> {
    fn ask(&self, name: &'static str) { self.asked.lock().unwrap().insert(name); }
    fn amount(&self, unit: &'static str) -> Option<i64> {
        self.ask(unit);
        let room = self.open.member("capacity")?;
        Some(if room.text("unit") == Some(unit) { room.number("amount").unwrap_or(0) } else { -1 })
    }
    /// How many entries the cache may hold; -1 if the room is in bytes.
    pub fn entries(&self) -> i64 { self.amount("objects").unwrap_or(65536) }
    /// How much the costs may add up to; -1 if the room is in entries or nothing is said.
    pub fn weight(&self) -> i64 { self.amount("bytes").unwrap_or(-1) }
    /// The virtual time in nanoseconds.
    pub fn clock(&self) -> Arc<dyn Fn() -> i64 + Send + Sync> {
        self.ask("clock");
        let kit = self.kit.clone();
        Arc::new(move || kit.now.load(SeqCst))
    }
    pub fn directory(&self) -> String { self.ask("directory"); self.open.text("directory").unwrap_or("").into() }
    pub fn tell(&self) -> Listener {
        self.ask("events");
        let kit = self.kit.clone();
        Arc::new(move |key, value, cause| kit.tell(key, value, cause))
    }
    pub fn writer(&self) -> Writer {
        self.ask("writer");
        let kit = self.kit.clone();
        Arc::new(move |key, value| kit.write(key, value))
    }
    /// The one of all entries; asking for it states the deviation oneTimeToLive.
    pub fn time_to_live(&self) -> Option<i64> { self.ask("oneTimeToLive"); self.open.number("timeToLiveNanoseconds") }
    pub fn time_to_idle(&self) -> Option<i64> { self.ask("timeToIdle"); self.open.number("timeToIdleNanoseconds") }
    pub fn stale(&self) -> Option<i64> { self.ask("staleServe"); self.open.number("staleNanoseconds") }
    pub fn refresh(&self) -> Option<i64> { self.ask("refresh"); self.open.number("refreshNanoseconds") }
    /// Whether the hash of keys is to be one of few values.
    pub fn collide(&self) -> bool { self.ask("collide"); self.open.flag("collide") }
    pub fn format(&self) -> Option<i64> { self.open.number("format") }
}

// ---- JSON ----

#[derive(Clone, Debug, PartialEq)]
pub enum Json { Null, Flag(bool), Number(i64), Text(String), List(Vec<Json>), Object(BTreeMap<String, Json>) }

fn die(words: &str) -> ! { eprintln!("assay_subject: {}", words); std::process::exit(64) }

struct Reader<'a> { text: &'a [u8], at: usize }

impl Reader<'_> {
    fn next(&mut self) -> u8 {
        while self.at < self.text.len() && b" \n\t\r".contains(&self.text[self.at]) { self.at += 1 }
        *self.text.get(self.at).unwrap_or_else(|| die("JSON has no end"))
    }
    fn value(&mut self) -> Json {
        match self.next() {
            b'{' => {
                let mut made = BTreeMap::new();
                self.at += 1;
                while self.next() != b'}' {
                    let name = self.string();
                    self.next();
                    self.at += 1;
                    made.insert(name, self.value());
                    if self.next() == b',' { self.at += 1 }
                }
                self.at += 1;
                Json::Object(made)
            }
            b'[' => {
                let mut made = vec![];
                self.at += 1;
                while self.next() != b']' {
                    made.push(self.value());
                    if self.next() == b',' { self.at += 1 }
                }
                self.at += 1;
                Json::List(made)
            }
            b'"' => Json::Text(self.string()),
            _ => {
                let start = self.at;
                while self.at < self.text.len() && !b",]} \n\t\r".contains(&self.text[self.at]) { self.at += 1 }
                match std::str::from_utf8(&self.text[start..self.at]).unwrap_or("") {
                    "null" => Json::Null,
                    "true" => Json::Flag(true),
                    "false" => Json::Flag(false),
                    digits => Json::Number(digits.parse().unwrap_or_else(|_| die("JSON has a number that is no 64-bit integer"))),
                }
            }
        }
    }
    fn unit(&mut self) -> u32 {
        let digits = self.text.get(self.at + 1..self.at + 5).and_then(|d| std::str::from_utf8(d).ok());
        self.at += 4;
        digits.and_then(|d| u32::from_str_radix(d, 16).ok()).unwrap_or_else(|| die("JSON has a broken escape"))
    }
    fn string(&mut self) -> String {
        let mut made: Vec<u8> = vec![];
        if self.next() != b'"' { die("JSON has a member without a name") }
        self.at += 1;
        loop {
            match *self.text.get(self.at).unwrap_or_else(|| die("JSON has a text without an end")) {
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    match self.text.get(self.at).copied().unwrap_or(0) {
                        b'n' => made.push(b'\n'),
                        b't' => made.push(b'\t'),
                        b'r' => made.push(b'\r'),
                        b'b' => made.push(8),
                        b'f' => made.push(12),
                        b'u' => {
                            let mut code = self.unit();
                            if (0xD800..0xDC00).contains(&code) && self.text.get(self.at + 1) == Some(&b'\\') {
                                self.at += 2;
                                code = 0x10000 + ((code - 0xD800) << 10) + (self.unit() & 0x3FF);
                            }
                            made.extend(char::from_u32(code).unwrap_or('\u{FFFD}').to_string().bytes());
                        }
                        other => made.push(other),
                    }
                }
                other => made.push(other),
            }
            self.at += 1;
        }
        self.at += 1;
        String::from_utf8_lossy(&made).into_owned()
    }
}

impl Json {
    fn read(text: &[u8]) -> Json { Reader { text, at: 0 }.value() }
    fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
    fn member(&self, name: &str) -> Option<&Json> {
        match self { Json::Object(members) => members.get(name).filter(|value| **value != Json::Null), _ => None }
    }
    fn text(&self, name: &str) -> Option<&str> { match self.member(name) { Some(Json::Text(text)) => Some(text), _ => None } }
    fn number(&self, name: &str) -> Option<i64> { match self.member(name) { Some(Json::Number(number)) => Some(*number), _ => None } }
    fn flag(&self, name: &str) -> bool { self.member(name) == Some(&Json::Flag(true)) }
    fn list(&self, name: &str) -> &[Json] { match self.member(name) { Some(Json::List(list)) => list, _ => &[] } }
    fn words(&self, name: &str) -> Vec<String> {
        self.list(name).iter().filter_map(|one| match one { Json::Text(text) => Some(text.clone()), _ => None }).collect()
    }
    fn print(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Flag(flag) => out.push_str(&flag.to_string()),
            Json::Number(number) => out.push_str(&number.to_string()),
            Json::Text(text) => {
                out.push('"');
                for one in text.chars() {
                    match one {
                        '"' | '\\' => { out.push('\\'); out.push(one) }
                        control if (control as u32) < 32 => out.push_str(&format!("\\u{:04x}", control as u32)),
                        _ => out.push(one),
                    }
                }
                out.push('"');
            }
            Json::List(list) => {
                out.push('[');
                for (index, one) in list.iter().enumerate() {
                    if index > 0 { out.push(',') }
                    one.print(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (name, one)) in members.iter().enumerate() {
                    if index > 0 { out.push(',') }
                    Json::Text(name.clone()).print(out);
                    out.push(':');
                    one.print(out);
                }
                out.push('}');
            }
        }
    }
    /// Lays members over these.
    fn lay(&mut self, over: &Json) {
        let (under, over) = match (self, over) {
            (Json::Object(under), Json::Object(over)) => (under, over),
            _ => return,
        };
        for (name, value) in over {
            match (name.as_str(), value) {
                (_, Json::Null) => { under.remove(name); }
                ("features" | "deviations", Json::List(_)) => {
                    let mut all: Vec<String> = Json::Object(under.clone()).words(name);
                    all.extend(Json::Object(over.clone()).words(name));
                    let gone: HashSet<String> = all.iter().filter_map(|word| word.strip_prefix('-').map(String::from)).collect();
                    all.retain(|word| !word.starts_with('-') && !gone.contains(word));
                    all.sort();
                    all.dedup();
                    under.insert(name.clone(), Json::List(all.into_iter().map(Json::Text).collect()));
                }
                (other, Json::Object(_)) if other != "capacity" => {
                    under.entry(name.clone()).or_insert_with(|| Json::object([])).lay(value)
                }
                _ => { under.insert(name.clone(), value.clone()); }
            }
        }
    }
}

fn hex(bytes: &[u8]) -> Json {
    let mut made = String::with_capacity(2 * bytes.len());
    for byte in bytes { for digit in [byte >> 4, byte & 15] { made.push(char::from_digit(digit as u32, 16).unwrap()) } }
    Json::Text(made)
}
fn bytes(text: &str) -> Bytes {
    let digit = |one: u8| (one as char).to_digit(16).unwrap_or_else(|| die("a key or a value is not in hexadecimal")) as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(*pair.get(1).unwrap_or(&b'0'))).collect()
}
fn entry(value: &[u8]) -> Json { Json::object([("value", hex(value))]) }
fn optional(value: Option<Bytes>) -> Json { value.map_or(Json::Null, |value| entry(&value)) }
fn one(name: &str, value: Json) -> Answer<Json> { Ok(Json::object([(name, value)])) }

// ---- Instances ----

/// These mean the whole cache, by whatever face they come.
const WHOLE: [&str; 6] = ["advance", "sleep", "moveWallClock", "flush", "maintain", "close"];

/// What the kit does for an open cache.
pub struct Kit {
    now: AtomicI64,
    is_closed: AtomicBool,
    fails: AtomicBool,
    failing: Mutex<HashSet<Bytes>>,
    events: Mutex<Vec<Json>>,
    writes: Mutex<Vec<Json>>,
}

impl Kit {
    fn new(now: i64) -> Arc<Kit> {
        Arc::new(Kit {
            now: AtomicI64::new(now), is_closed: AtomicBool::new(false), fails: AtomicBool::new(false),
            failing: Mutex::default(), events: Mutex::default(), writes: Mutex::default(),
        })
    }
    fn tell(&self, key: &[u8], value: &[u8], cause: &str) {
        let event = Json::object([("key", hex(key)), ("value", hex(value)), ("cause", Json::Text(cause.into()))]);
        self.events.lock().unwrap().push(event);
    }
    fn write(&self, key: &[u8], value: Option<&[u8]>) -> Answer<()> {
        if self.fails.load(SeqCst) || self.failing.lock().unwrap().contains(key) {
            return Err(Refused("inputOutput", "the writer fails".into()));
        }
        let mut written = Json::object([("key", hex(key))]);
        if let Some(value) = value { written.lay(&entry(value)) }
        self.writes.lock().unwrap().push(written);
        Ok(())
    }
}

/// An open cache, and the claims that it is held against.
#[derive(Clone)]
struct Instance { cache: Arc<dyn Cache>, kit: Arc<Kit>, claims: Arc<Json>, asked: Arc<HashSet<&'static str>> }

impl Instance {
    fn has(&self, feature: &str) -> bool { self.claims.list("features").contains(&Json::Text(feature.into())) }

    /// Refuses keys and values outside of what is claimed. A refused value ends the old one too.
    fn limit(&self, cache: &dyn Cache, step: &Json) -> Answer<()> {
        let store = self.claims.member("storage").unwrap_or(&Json::Null);
        let keys = step.words("keys");
        for key in [step.text("key"), step.text("other")].into_iter().flatten().chain(keys.iter().map(String::as_str)) {
            if key.len() as i64 > 2 * store.number("keyBytesMax").unwrap_or(0) || key.is_empty() && !store.flag("allowsEmptyKey") {
                return Err(Refused("keyRefused", "the claims allow no key of this length".into()));
            }
        }
        if step.text("value").map_or(false, |value| value.len() as i64 > 2 * store.number("valueBytesMax").unwrap_or(0)) {
            let _ = cache.remove(&bytes(step.text("key").unwrap_or("")));
            return Err(Refused("valueRefused", "the claims allow no value of this length".into()));
        }
        Ok(())
    }

    /// Does what the kit does in place of a method.
    fn instead(&self, name: &str, step: &Json) -> Answer<Json> {
        let (kit, amount) = (&self.kit, step.number("amount").unwrap_or(0));
        let taken = |list: &Mutex<Vec<Json>>| one(name, Json::List(std::mem::take(&mut list.lock().unwrap())));
        match name {
            "advance" if self.asked.contains("clock") => {
                let _ = kit.now.fetch_update(SeqCst, SeqCst, |now| Some(now.saturating_add(amount)));
            }
            "events" if self.asked.contains("events") || self.has("listener") => return taken(&kit.events),
            "writes" if self.asked.contains("writer") => return taken(&kit.writes),
            "failWrites" if self.asked.contains("writer") => kit.fails.store(amount == 1, SeqCst),
            "failWritesOf" if self.asked.contains("writer") => {
                *kit.failing.lock().unwrap() = step.words("keys").iter().map(|key| bytes(key)).collect()
            }
            _ => return unsupported(),
        }
        one("done", Json::Flag(true))
    }

    /// Does one step by a face and says what came of it.
    fn perform(&self, step: &Json, face: i64) -> Answer<Json> {
        let name = step.text("operation").unwrap_or("");
        let amount = step.number("amount").unwrap_or(0);
        if name == "pause" {
            std::thread::sleep(Duration::from_millis(amount.max(0) as u64));
            return one("done", Json::Flag(true));
        }
        if self.kit.is_closed.load(SeqCst) && name != "close" && name != "writes" {
            return Err(Refused("closed", "the cache is closed".into()));
        }
        let faced = if face == 0 { self.cache.clone() } else { self.cache.face(face)? };
        let c = if WHOLE.contains(&name) { &self.cache } else { &faced };
        let given = step.member("terms").cloned().unwrap_or(Json::Null);
        let terms = Terms {
            ttl: given.number("timeToLiveNanoseconds"), cost: given.number("cost").unwrap_or(1), tags: given.words("tags"),
            group: step.text("group").map(String::from),
        };
        if terms.ttl.is_some() && !self.has("timeToLive") || !terms.tags.is_empty() && !self.has("tags") || terms.group.is_some() {
            return unsupported(); // groups are not offered by this kit
        }
        self.limit(&**c, step)?;
        let (key, other) = (bytes(step.text("key").unwrap_or("")), bytes(step.text("other").unwrap_or("")));
        let value = || bytes(step.text("value").unwrap_or(""));
        let keys = || step.words("keys").iter().map(|key| bytes(key)).collect::<Vec<_>>();
        let tag = step.text("tag").unwrap_or("");
        let done = |answer: Answer<()>| answer.and_then(|()| one("done", Json::Flag(true)));
        let flag = |answer: Answer<bool>| answer.and_then(|flag| one("flag", Json::Flag(flag)));
        let number = |answer: Answer<i64>| answer.and_then(|number| one("number", Json::Number(number)));
        let found = |answer: Answer<Option<Bytes>>| answer.and_then(|value| one("entry", optional(value)));
        let listed = |answer: Answer<Vec<Bytes>>| answer.and_then(|all| one("keys", Json::List(all.iter().map(|key| hex(key)).collect())));
        let result = match name {
            "put" => done(c.put(&key, value(), &terms)),
            "get" => found(c.get(&key)),
            "contains" => flag(c.contains(&key)),
            "remove" => flag(c.remove(&key)),
            "removeAll" => done(c.remove_all()),
            "count" => number(c.count()),
            "keys" => listed(c.keys()),
            "flush" => done(c.flush()),
            "maintain" => done(c.maintain()),
            "close" => done(c.close()),
            "cost" => number(c.cost()),
            "firstKeys" => listed(c.first_keys(amount)),
            "putIfAbsent" => flag(c.put_if_absent(&key, value(), &terms)),
            "replace" => flag(c.replace(&key, value(), &terms)),
            "compareAndSet" => {
                let expected = step.member("expected").and_then(|old| old.text("value")).unwrap_or("");
                flag(c.compare_and_set(&key, bytes(expected), value()))
            }
            "exchange" => found(c.exchange(&key, value())),
            "take" => found(c.take(&key)),
            "getMany" => c.get_many(&keys()).and_then(|all| one("entries", Json::List(all.into_iter().map(optional).collect()))),
            "removeMany" => number(c.remove_many(&keys())),
            "putMany" => self.put_many(&**c, step.list("items")),
            "advance" => done(c.advance(amount)),
            "sleep" => done(c.sleep(amount)),
            "moveWallClock" => done(c.move_wall_clock(amount)),
            "touch" => flag(c.touch(&key, amount)),
            "remainingTime" => c.remaining_time(&key).and_then(|time| one("time", time.map_or(Json::Null, Json::Number))),
            "resize" => done(c.resize(amount)),
            "statistics" => c.statistics().and_then(|counts| {
                one("statistics", Json::Object(counts.into_iter().map(|(name, count)| (name.into(), Json::Number(count))).collect()))
            }),
            "removeTagged" => done(c.remove_tagged(tag)),
            "mark" => flag(c.mark(&key)),
            "setIfMarked" => flag(c.set_if_marked(&key, value())),
            "removeIfMarked" => flag(c.remove_if_marked(&key)),
            "update" => found(c.update(&key, &|old| changed(step, old))),
            "increment" => number(c.increment(&key, amount)),
            "rename" => flag(c.rename(&key, &other)),
            "pin" => flag(c.pin(&key)),
            "unpin" => flag(c.unpin(&key)),
            "dropMemory" => done(c.drop_memory()),
            "failLower" => done(c.fail_lower(amount == 1)),
            "diskUsage" => number(c.disk_usage()),
            "limitGroup" => done(c.limit_group(tag, amount)),
            "listen" => self.listener(step).and_then(|listener| done(c.listen(listener))),
            "load" => self.load(&**c, &key, step, &terms),
            "giveUp" => done(c.give_up(&key)),
            _ => unsupported(),
        };
        match result {
            Err(Refused("unsupported", _)) => self.instead(name, step),
            Ok(answer) => {
                if name == "close" { self.kit.is_closed.store(true, SeqCst) }
                Ok(answer)
            }
            other => other,
        }
    }

    fn put_many(&self, cache: &dyn Cache, items: &[Json]) -> Answer<Json> {
        let mut flags = vec![Json::Flag(false); items.len()];
        let due: Vec<usize> = (0..items.len()).filter(|index| self.limit(cache, &items[*index]).is_ok()).collect();
        let text = |index: usize, name: &str| bytes(items[index].text(name).unwrap_or(""));
        let stored = cache.put_many(due.iter().map(|index| (text(*index, "key"), text(*index, "value"))).collect())?;
        for (index, stored) in due.into_iter().zip(stored) { flags[index] = Json::Flag(stored) }
        one("flags", Json::List(flags))
    }

    fn listener(&self, step: &Json) -> Answer<Option<Listener>> {
        let (instance, step) = (self.clone(), step.clone());
        match step.text("word") {
            Some("none") => Ok(None),
            Some("fails") => unsupported(), // a listener in Rust has no way to fail but a panic
            _ => Ok(Some(Arc::new(move |key, value, cause| {
                if step.text("word") == Some("slow") {
                    std::thread::sleep(Duration::from_millis(step.number("amount").unwrap_or(0).max(0) as u64))
                }
                instance.kit.tell(key, value, cause);
                for item in step.list("items") { let _ = instance.perform(item, 0); }
            }))),
        }
    }

    fn load(&self, cache: &dyn Cache, key: &[u8], step: &Json, terms: &Terms) -> Answer<Json> {
        let calls = AtomicI64::new(0);
        let origin = || {
            calls.fetch_add(1, SeqCst);
            for other in step.list("meanwhile") { let _ = self.perform(other, 0); }
            match step.text("origin") {
                Some("failure") => Err(Refused("origin", "the origin fails".into())),
                Some("value") => Ok(Some(bytes(step.text("value").unwrap_or("")))),
                _ => Ok(None),
            }
        };
        let result = cache.load(key, &origin, terms);
        let calls = ("calls", Json::Number(calls.load(SeqCst)));
        let loaded = |word: &str| ("loaded", Json::Text(word.into()));
        match result {
            Ok(Some(value)) => Ok(Json::object([loaded("value"), calls, ("entry", entry(&value))])),
            Ok(None) => Ok(Json::object([loaded("nothing"), calls])),
            Err(Refused("origin", _)) => Ok(Json::object([loaded("failed"), calls])),
            Err(other) => Err(other),
        }
    }
}

/// What an update makes of the old value.
fn changed(step: &Json, old: Option<&[u8]>) -> Option<Bytes> {
    if let Some(value) = step.text("value") { return Some(bytes(value)) }
    if step.text("word") == Some("remove") { return None }
    let number = old.and_then(|old| std::str::from_utf8(old).ok()).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    Some(number.saturating_add(1).to_string().into_bytes())
}

// ---- The greeting ----

/// The features of which a cache with all these operations has one.
const BY_METHODS: [(&str, &str); 25] = [
    ("putIfAbsent", "putIfAbsent"), ("replace", "replace exchange"), ("compareAndSet", "compareAndSet"), ("take", "take"), ("bulk", "getMany removeMany"), ("bulkPut", "putMany"),
    ("update", "update"), ("counter", "increment"), ("rename", "rename"), ("touch", "touch"), ("remainingTime", "remainingTime"),
    ("cost", "cost"), ("resize", "resize"), ("statistics", "statistics"), ("listener", "listen"), ("tags", "removeTagged"),
    ("versions", "mark setIfMarked removeIfMarked"), ("pin", "pin unpin"), ("loader", "load"), ("cancel", "load giveUp"),
    ("walks", "firstKeys"), ("diskUsage", "diskUsage"), ("tiers", "dropMemory failLower"), ("groupLimits", "limitGroup"),
    ("countsSleep", "sleep"),
];

/// The claims that the methods of a cache and what it asked of its setup make. Each method is tried once.
fn derived(probe: &Instance, over: &str) -> Json {
    let has = |name: &str| {
        let step = format!(
            r#"{{"operation":"{}","key":"61","value":"31","other":"62","keys":["61"],"amount":1,"tag":"a","word":"plain","origin":"value","items":[]}}"#,
            name);
        !matches!(probe.perform(&Json::read(step.as_bytes()), 0), Err(Refused("unsupported", _)))
    };
    let mut features: Vec<&str> = BY_METHODS.iter().filter(|(_, names)| names.split(' ').all(has)).map(|(name, _)| *name).collect();
    features.extend(["events", "writer", "timeToIdle", "staleServe", "refresh", "collide"].iter().filter(|name| probe.asked.contains(**name)));
    let has_one_life = probe.asked.contains("oneTimeToLive");
    if has_one_life || probe.asked.contains("clock") || !matches!(probe.cache.advance(0), Err(Refused("unsupported", _))) { features.push("timeToLive") }
    features.sort_unstable();
    let mut claims = Json::object([
        ("features", Json::List(features.iter().map(|name| Json::Text(name.to_string())).collect())),
        ("storage", Json::object([
            ("keyBytesMax", Json::Number(65536)), ("allowsEmptyKey", Json::Flag(true)), ("valueBytesMax", Json::Number(1 << 24)),
            ("retains", Json::Flag(true)), ("iterates", Json::Flag(has("count") && has("keys"))),
            ("durability", Json::Text("volatile".into())), ("isConcurrent", Json::Flag(false)),
        ])),
    ]);
    let units: Vec<Json> = ["objects", "bytes"].iter().filter(|unit| probe.asked.contains(**unit)).map(|unit| Json::Text(unit.to_string())).collect();
    if let Some(first) = units.first().cloned() {
        claims.lay(&Json::object([("room", Json::object([
            ("capacity", Json::object([("amount", Json::Number(65536)), ("unit", first)])), ("isAdjustable", Json::Flag(true)),
            ("units", Json::List(units)), ("isStrict", Json::Flag(true)),
        ]))]));
    }
    if has_one_life { claims.lay(&Json::read(br#"{"deviations":["oneTimeToLive"]}"#)) }
    // The suite then looks by get.
    if !has("contains") { claims.lay(&Json::read(br#"{"deviations":["containsIsGet"]}"#)) }
    claims.lay(&Json::read(if over.is_empty() { "{}" } else { over }.as_bytes()));
    if claims.member("faces").is_none() && probe.cache.face(1).is_ok() {
        die("there are other faces, and the claims do not say how many in all: add \"faces\": 2")
    }
    claims
}

fn opened<C: Cache + 'static>(open: &(dyn Fn(&Setup) -> Answer<C> + Send + Sync), request: &Json) -> Answer<(Arc<C>, Arc<Kit>, HashSet<&'static str>)> {
    let kit = Kit::new(request.number("nowNanoseconds").unwrap_or(0));
    let setup = Setup { open: request, kit: kit.clone(), asked: Mutex::default() };
    let cache = Arc::new(open(&setup)?);
    Ok((cache, kit, setup.asked.into_inner().unwrap()))
}

/// Answers Assay's requests over caches that `open` makes until the pipe is closed, several at once if the claims say so.
pub fn serve<C: Cache + 'static>(name: &'static str, claims: &str, open: impl Fn(&Setup) -> Answer<C> + Send + Sync + 'static) {
    let folder = std::env::temp_dir().join(format!("assay-probe-{}", std::process::id()));
    let _ = std::fs::create_dir(&folder);
    let request = Json::object([("directory", Json::Text(folder.to_string_lossy().into_owned()))]);
    let (cache, kit, asked) = opened(&open, &request).unwrap_or_else(|refused| die(&format!("the cache cannot be opened: {}", refused.1)));
    let asked = Arc::new(asked);
    let probe = Instance { cache, kit, claims: Arc::new(Json::read(
        br#"{"storage":{"keyBytesMax":9,"allowsEmptyKey":true,"valueBytesMax":9},"features":[]}"#)), asked: asked.clone() };
    let claims = Arc::new(derived(&probe, claims));
    let _ = probe.cache.close();
    drop(probe);
    let _ = std::fs::remove_dir_all(&folder);
    let is_concurrent = claims.member("storage").map_or(false, |storage| storage.flag("isConcurrent"));
    let instances: Arc<Mutex<HashMap<i64, Instance>>> = Arc::default();
    let open = Arc::new(open);
    // What a library prints must not get between the frames: it goes to standard error.
    // SAFETY: both calls take descriptors alone, and the new one is owned by nobody else.
    let output = unsafe {
        let own = File::from_raw_fd(dup(1));
        dup2(2, 1);
        Arc::new(Mutex::new(own))
    };
    let (mut input, mut head) = (std::io::stdin(), [0u8; 4]);
    while input.read_exact(&mut head).is_ok() {
        let length = u32::from_be_bytes(head) as usize;
        if length > FRAME_MAX { die("a frame is too long") }
        let mut body = vec![0; length];
        if input.read_exact(&mut body).is_err() { break }
        let (claims, instances, open, asked) = (claims.clone(), instances.clone(), open.clone(), asked.clone());
        let output = output.clone();
        let answer = move || {
            let request = Json::read(&body);
            let (id, number) = (request.number("id").unwrap_or(0), request.number("instance").unwrap_or(0));
            let known = instances.lock().unwrap().get(&number).cloned();
            let result = if let Some(hello) = request.member("hello") {
                if hello.list("versions").contains(&Json::Number(1)) {
                    one("hello", Json::object([
                        ("version", Json::Number(1)), ("name", Json::Text(name.into())), ("claims", (*claims).clone()),
                        ("needsDirectory", Json::Flag(asked.contains("directory"))),
                    ]))
                } else {
                    Err(Refused("unsupported", "this adapter speaks version 1".into()))
                }
            } else if let Some(given) = request.member("open") {
                opened(&*open, given).and_then(|(cache, kit, _)| {
                    instances.lock().unwrap().insert(number, Instance { cache, kit, claims, asked });
                    one("done", Json::Flag(true))
                })
            } else if let (Some(step), Some(instance)) = (request.member("step"), known) {
                instance.perform(step, request.number("face").unwrap_or(0))
            } else {
                instances.lock().unwrap().remove(&number);
                one("done", Json::Flag(true))
            };
            let mut whole = result.unwrap_or_else(|Refused(code, message)| {
                let code = if code == "origin" { "inputOutput" } else { code };
                Json::object([("error", Json::object([("code", Json::Text(code.into())), ("message", Json::Text(message))]))])
            });
            whole.lay(&Json::object([("id", Json::Number(id))]));
            let mut text = String::new();
            whole.print(&mut text);
            if text.len() > FRAME_MAX {
                text = format!(r#"{{"id":{},"error":{{"code":"inputOutput","message":"an answer too long"}}}}"#, id)
            }
            let mut frame = (text.len() as u32).to_be_bytes().to_vec();
            frame.extend(text.bytes());
            let mut out = output.lock().unwrap();
            if out.write_all(&frame).and_then(|()| out.flush()).is_err() { std::process::exit(0) }
        };
        if is_concurrent { std::thread::spawn(answer); } else { answer() }
    }
}
