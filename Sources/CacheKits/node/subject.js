// A cache under Assay's conformance suite. Put your cache in the place of LRU, and its calls in the place of those of Subject.
const { serve } = require('./assay-subject.js')

class LRU {
  constructor(limit) { this.limit = limit; this.entries = new Map() }
  put(key, value) {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value)
  }
  get(key) {
    const value = this.entries.get(key)
    if (value !== undefined) { this.entries.delete(key); this.entries.set(key, value) }
    return value
  }
}

class Subject {
  static claims = { order: 'lru' }
  constructor({ entries }) { this.cache = new LRU(entries) }
  put(key, value) { this.cache.put(key, value) }
  get(key) { return this.cache.get(key) }
  contains(key) { return this.cache.entries.has(key) }
  remove(key) { return this.cache.entries.delete(key) }
  removeAll() { this.cache.entries.clear() }
  count() { return this.cache.entries.size }
  keys() { return this.cache.entries.keys() }
}

serve(Subject, 'my cache 1.0')
