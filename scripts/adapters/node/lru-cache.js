// package node-lru-cache
const { serve, Refused } = require('./assay-subject.js')
let moment = () => 1
globalThis.performance = { now: () => moment() } // the package asks this one, and takes a time of 0 for none
const LRU = require('/usr/share/nodejs/lru-cache')
const CAUSES = { evict: 'evicted', set: 'replaced', delete: 'removed' }

class Subject {
  static claims = {
    order: 'lru', storage: { isConcurrent: true }, features: ['coalesce'],
    limits: { capacityMax: 1 << 24, timeToLiveMaxNanoseconds: 2 ** 52 }, // lists for all entries are made at once, and times are doubles
    deviations: ['liveAtDeadline', 'sharedClock', 'zeroTimeToLiveIsForever', 'countsExpired', 'removesExpired', 'dropsOversized', 'refusesZeroCost', 'noCauses'],
  }
  static errors = { TypeError: 'valueRefused' }
  constructor({ entries, weight, clock, tell }) {
    moment = () => 1 + clock()
    const room = weight === undefined ? { max: entries } : { maxSize: weight, sizeCalculation: made => made.cost }
    this.cache = new LRU({ ...room, ttlResolution: 0, fetchMethod: (key, old, { context }) => context(), dispose: (made, key, why) => tell(key, made.value, CAUSES[why]) })
  }
  put(key, value, { ttl, cost = 1 }) { this.cache.set(key, { value, cost }, { ttl: ttl === undefined ? 0 : ttl }) }
  get(key) { const made = this.cache.get(key); return made && made.value }
  contains(key) { return this.cache.has(key) }
  remove(key) { return this.cache.delete(key) }
  removeAll() { this.cache.clear() }
  count() { return this.cache.size }
  keys() { return this.cache.keys() }
  maintain() { this.cache.purgeStale() }
  async load(key, origin, { ttl, cost = 1 }) {
    const fetched = await this.cache.fetch(key, { ttl: ttl === undefined ? 0 : ttl, fetchContext: async () => { const value = await origin(); return value && { value, cost } } })
    return fetched && fetched.value
  }
  remainingTime(key) { const left = this.cache.getRemainingTTL(key); return left === Infinity || left <= 0 ? null : left }
}
serve(Subject, 'lru-cache')
