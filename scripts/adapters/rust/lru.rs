// package librust-lru-dev
mod assay_subject;
use assay_subject::*;
use std::sync::Mutex;

struct Subject(Mutex<lru::LruCache<Bytes, Bytes>>);

impl Cache for Subject {
    fn put(&self, key: &[u8], value: Bytes, _: &Terms) -> Answer<()> { self.0.lock().unwrap().put(key.to_vec(), value); Ok(()) }
    fn get(&self, key: &[u8]) -> Answer<Option<Bytes>> { Ok(self.0.lock().unwrap().get(key).map(|value| value.to_vec())) }
    fn contains(&self, key: &[u8]) -> Answer<bool> { Ok(self.0.lock().unwrap().contains(key)) }
    fn take(&self, key: &[u8]) -> Answer<Option<Bytes>> { Ok(self.0.lock().unwrap().pop(key)) }
    fn remove(&self, key: &[u8]) -> Answer<bool> { Ok(self.0.lock().unwrap().pop(key).is_some()) }
    fn remove_all(&self) -> Answer<()> { self.0.lock().unwrap().clear(); Ok(()) }
    fn count(&self) -> Answer<i64> { Ok(self.0.lock().unwrap().len() as i64) }
    fn keys(&self) -> Answer<Vec<Bytes>> { Ok(self.0.lock().unwrap().iter().map(|(key, _)| key.clone()).collect()) }
    fn resize(&self, amount: i64) -> Answer<()> { self.0.lock().unwrap().resize(amount.max(0) as usize); Ok(()) }
}

// The table for all entries is allocated when the cache is made.
fn main() {
    serve("lru", r#"{"order":"lru","limits":{"capacityMax":16777216}}"#, |setup| Ok(Subject(Mutex::new(lru::LruCache::new(setup.entries() as usize)))))
}
