// A cache under Assay's conformance suite. Put your cache in the place of Lru, and its calls in the place of those of Subject.
mod assay_subject;
use assay_subject::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

#[derive(Default)]
struct Lru { limit: usize, now: u64, ages: BTreeMap<u64, Bytes>, entries: HashMap<Bytes, (u64, Bytes)> }

impl Lru {
    fn put(&mut self, key: &[u8], value: Bytes) {
        self.remove(key);
        self.now += 1;
        self.ages.insert(self.now, key.to_vec());
        self.entries.insert(key.to_vec(), (self.now, value));
        if self.entries.len() > self.limit {
            let oldest = self.ages.values().next().unwrap().clone();
            self.remove(&oldest);
        }
    }
    fn get(&mut self, key: &[u8]) -> Option<Bytes> {
        let (age, value) = self.entries.get_mut(key)?;
        self.ages.remove(age);
        self.now += 1;
        *age = self.now;
        self.ages.insert(*age, key.to_vec());
        Some(value.clone())
    }
    fn remove(&mut self, key: &[u8]) -> bool { self.entries.remove(key).map(|(age, _)| self.ages.remove(&age)).is_some() }
}

struct Subject(Mutex<Lru>);

impl Cache for Subject {
    fn put(&self, key: &[u8], value: Bytes, _: &Terms) -> Answer<()> { Ok(self.0.lock().unwrap().put(key, value)) }
    fn get(&self, key: &[u8]) -> Answer<Option<Bytes>> { Ok(self.0.lock().unwrap().get(key)) }
    fn contains(&self, key: &[u8]) -> Answer<bool> { Ok(self.0.lock().unwrap().entries.contains_key(key)) }
    fn remove(&self, key: &[u8]) -> Answer<bool> { Ok(self.0.lock().unwrap().remove(key)) }
    fn remove_all(&self) -> Answer<()> {
        let mut cache = self.0.lock().unwrap();
        *cache = Lru { limit: cache.limit, ..Lru::default() };
        Ok(())
    }
    fn count(&self) -> Answer<i64> { Ok(self.0.lock().unwrap().entries.len() as i64) }
    fn keys(&self) -> Answer<Vec<Bytes>> { Ok(self.0.lock().unwrap().entries.keys().cloned().collect()) }
}

fn main() {
    serve("my cache 1.0", r#"{"order":"lru"}"#, |setup| {
        Ok(Subject(Mutex::new(Lru { limit: setup.entries() as usize, ..Lru::default() })))
    })
}
