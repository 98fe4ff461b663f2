// package librust-lru-cache-dev
mod assay_subject;
use assay_subject::*;
use std::sync::Mutex;

struct Subject(Mutex<lru_cache::LruCache<Bytes, Bytes>>);

impl Cache for Subject {
    fn put(&self, key: &[u8], value: Bytes, _: &Terms) -> Answer<()> { self.0.lock().unwrap().insert(key.to_vec(), value); Ok(()) }
    fn get(&self, key: &[u8]) -> Answer<Option<Bytes>> { Ok(self.0.lock().unwrap().get_mut(key).map(|value| value.to_vec())) }
    fn contains(&self, key: &[u8]) -> Answer<bool> { Ok(self.0.lock().unwrap().contains_key(key)) }
    fn take(&self, key: &[u8]) -> Answer<Option<Bytes>> { Ok(self.0.lock().unwrap().remove(key)) }
    fn remove(&self, key: &[u8]) -> Answer<bool> { Ok(self.0.lock().unwrap().remove(key).is_some()) }
    fn remove_all(&self) -> Answer<()> { self.0.lock().unwrap().clear(); Ok(()) }
    fn count(&self) -> Answer<i64> { Ok(self.0.lock().unwrap().len() as i64) }
    fn keys(&self) -> Answer<Vec<Bytes>> { Ok(self.0.lock().unwrap().iter().map(|(key, _)| key.clone()).collect()) }
    fn resize(&self, amount: i64) -> Answer<()> { self.0.lock().unwrap().set_capacity(amount.max(0) as usize); Ok(()) }
}

// `contains_key` is a use, and the only look that there is.
fn main() {
    serve("lru-cache", r#"{"order":"lru","deviations":["containsIsGet"]}"#, |setup| Ok(Subject(Mutex::new(lru_cache::LruCache::new(setup.entries() as usize)))))
}
