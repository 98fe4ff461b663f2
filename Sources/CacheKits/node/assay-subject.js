// Assay's subject protocol (docs/subject-protocol.md, version 1) for caches in JavaScript, in one file without dependencies.
//
// Write a class with a method for each operation that your cache has, and end with `serve(YourClass, 'name 1.0')`:
//
//   get(key) contains(key) remove(key) removeAll() count() keys() put(key, value, { ttl, cost, tags, expiresAt })
//   putIfAbsent(key, value, terms) replace(key, value, terms) compareAndSet(key, expected, value) exchange(key, value) take(key)
//   getMany(keys) removeMany(keys) putMany(pairs) firstKeys(amount) update(key, change) increment(key, amount) rename(key, other)
//   touch(key, amount) remainingTime(key) cost() resize(amount) statistics() removeTagged(tag) mark(key) setIfMarked(key, value)
//   removeIfMarked(key) pin(key) unpin(key) load(key, origin, terms) giveUp(key) flush() maintain() close() diskUsage() dropMemory()
//   failLower(fails) limitGroup(group, amount) listen(listener) advance(amount) sleep(amount) moveWallClock(amount)
//   face(number) (the same methods, by the face of that number, 1 or more; `claims` say how many there are: { faces: 2 })
//
// Keys are strings with a character a byte, values are Buffers; undefined and null are no entry. `change` maps the old value (or
// undefined) to the new one, `origin()` loads a value. A method may be async. `terms` has `group` too if the method's source names it.
// The constructor takes one object and names what it wants of it, as in constructor({ entries, clock }):
//
//   entries (how many it may hold) weight (how much its costs may add up to) directory clock (call it: nanoseconds) timeToLive (one for
//   all entries, or undefined) timeToIdle stale refresh format collide writer (call it: key, value, or undefined for a removal) tell (call it: key, value, and evicted, expired, replaced or
//   removed)
//
// What is written is claimed: the words ttl, cost and tags in the source of `put` too. `static claims` is laid over that:
// { order: 'lru', storage: { isConcurrent: true } }; null takes a member away, and '-name' among the features one of these. An
// operation or a term that is not written is answered `unsupported`; without `contains` the suite looks by `get`, and the deviation
// containsIsGet is stated. Throw new Refused(code, message) for the protocol's errors, or give
// codes to the names of your cache's errors: static errors = { RangeError: 'valueRefused' }. Numbers beyond 2^53 are rounded.
'use strict'
const { execFile } = require('child_process')
const VERSION = 1, FRAME_MAX = 64 << 20, TIME_MAX = 2 ** 63
const STORE = { keyBytesMax: 65536, allowsEmptyKey: true, valueBytesMax: 1 << 24, retains: true, iterates: true, durability: 'volatile', isConcurrent: false }
// The features of which a cache with all these methods, or with these members of its constructor's object, has one.
const BY_METHODS = {
  putIfAbsent: 'putIfAbsent', replace: 'replace exchange', compareAndSet: 'compareAndSet', take: 'take',
  bulk: 'getMany removeMany', bulkPut: 'putMany', update: 'update',
  counter: 'increment', rename: 'rename', touch: 'touch', remainingTime: 'remainingTime', cost: 'cost', resize: 'resize',
  statistics: 'statistics', events: 'events', listener: 'listen', tags: 'removeTagged', versions: 'mark setIfMarked removeIfMarked',
  pin: 'pin unpin', loader: 'load', cancel: 'load giveUp', walks: 'firstKeys', diskUsage: 'diskUsage', tiers: 'dropMemory failLower',
  groupLimits: 'limitGroup', countsSleep: 'sleep',
}
const BY_MEMBERS = { events: 'tell', writer: 'writer', timeToIdle: 'timeToIdle', staleServe: 'stale', refresh: 'refresh', collide: 'collide' }
// These mean the whole cache, by whatever face they come.
const WHOLE = ['advance', 'sleep', 'moveWallClock', 'flush', 'maintain', 'close']

class Refused extends Error {
  constructor(code, message) { super(message); this.code = code }
}
class OriginFailed extends Error {}

const bytes = hex => Buffer.from(hex, 'hex'), text = hex => bytes(hex).toString('latin1')
const hex = value => Buffer.from(value, typeof value === 'string' ? 'latin1' : undefined).toString('hex')
const isNone = value => value === undefined || value === null
// A time beyond what 64 bits hold is the greatest that they do.
const whole = number => isNone(number) ? null : number >= TIME_MAX ? TIME_MAX - 1024 : Math.round(number)
// A value, or a value with its time of expiry.
const entry = found => {
  if (isNone(found)) return null
  if (Buffer.isBuffer(found) || !('value' in found)) return { value: hex(found) }
  return isNone(found.expiresAt) ? { value: hex(found.value) } : { value: hex(found.value), expiresAtNanoseconds: found.expiresAt }
}
const ofEntry = found => ({ entry: entry(found) }), ofNumber = number => ({ number: Number(number) })
const ofKeys = keys => ({ keys: Array.from(keys, hex) })
// True or false; undefined tells nothing.
const ofFlag = name => flag => {
  if (isNone(flag)) return { done: true }
  if (flag !== true && flag !== false && flag !== 1 && flag !== 0) throw new TypeError(`'${name}' of the adapter returned ${String(flag).slice(0, 60)}; return true or false`)
  return { flag: Boolean(flag) }
}
// What becomes of a method's result, by operation; the rest return nothing.
const ANSWERS = {
  get: ofEntry, exchange: ofEntry, take: ofEntry, update: ofEntry, keys: ofKeys, firstKeys: ofKeys,
  getMany: found => ({ entries: Array.from(found, entry) }), remainingTime: time => ({ time: whole(time) }),
  statistics: statistics => ({ statistics }), putMany: flags => ({ flags: Array.from(flags, Boolean) }),
  events: events => ({ events: events.map(({ key, value, cause, group }) => ({ key: hex(key), value: hex(value), cause, ...(isNone(group) ? {} : { group }) })) }),
  writes: writes => ({ writes: writes.map(({ key, value }) => ({ key: hex(key), ...(isNone(value) ? {} : { value: hex(value) }) })) }),
  ...Object.fromEntries('contains remove putIfAbsent replace compareAndSet touch mark setIfMarked removeIfMarked rename pin unpin'.split(' ').map(name => [name, ofFlag(name)])),
  ...Object.fromEntries('count cost removeMany increment diskUsage'.split(' ').map(name => [name, ofNumber])),
}

// The number that digits write, or 0: what a counter's value is.
function counted(value) {
  const digits = isNone(value) ? '' : value.toString('latin1')
  if (!/^[+-]?[0-9]{1,19}$/.test(digits)) return 0n
  const number = BigInt(digits.replace('+', ''))
  return BigInt.asIntN(64, number) === number ? number : 0n
}
function change(step) {
  if (step.value !== undefined) return () => bytes(step.value)
  if (step.word === 'remove') return () => undefined
  return old => { const number = counted(old); return Buffer.from(String(number === 2n ** 63n - 1n ? number : number + 1n)) }
}

// Whether the source of a method has a word, and what a constructor names.
const mentions = (method, word) => typeof method === 'function' && new RegExp(`\\b${word}\\b`).test(method.toString())
const wanted = make => new Set((/constructor\s*\(\s*\{([^}]*)\}/.exec(make.toString()) || ['', ''])[1].match(/\w+/g))

// Claims laid over what was derived.
function laid(over, under) {
  const made = { ...under }
  for (const [name, value] of Object.entries(over)) {
    if (value === null) delete made[name]
    else if (name === 'features' || name === 'deviations') {
      const away = value.filter(word => word.startsWith('-')).map(word => word.slice(1))
      made[name] = [...new Set([...(made[name] || []), ...value])].filter(word => !word.startsWith('-') && !away.includes(word)).sort()
    } else made[name] = typeof value === 'object' && !Array.isArray(value) && name !== 'capacity' ? laid(value, made[name] || {}) : value
  }
  return made
}

// The claims that the methods of a class make, with its `claims` laid over them.
function derived(make) {
  const methods = make.prototype, has = names => names.split(' ').every(name => typeof methods[name] === 'function'), wants = wanted(make)
  const features = [
    ...Object.keys(BY_METHODS).filter(name => has(BY_METHODS[name])), ...Object.keys(BY_MEMBERS).filter(name => wants.has(BY_MEMBERS[name])),
    ...(wants.has('timeToLive') ? ['timeToLive'] : []),
    ...(mentions(methods.put, 'ttl') && (wants.has('clock') || has('advance')) ? ['timeToLive'] : []),
    ...(mentions(methods.put, 'expiresAt') ? ['storedExpiry'] : []),
    ...('put get contains remove removeAll count keys'.split(' ').every(name => mentions(methods[name], 'group')) ? ['groups'] : []),
  ]
  const units = [...(wants.has('entries') ? ['objects'] : []), ...(wants.has('weight') ? ['bytes'] : [])]
  const claims = { storage: { ...STORE, iterates: has('count keys') }, features: [...new Set(features)].sort() }
  if (units.length) claims.room = { capacity: { amount: 65536, unit: units[0] }, isAdjustable: true, units, isStrict: true }
  claims.deviations = [...(wants.has('timeToLive') ? ['oneTimeToLive'] : []), ...(has('contains') ? [] : ['containsIsGet'])]
  const made = laid(make.claims || {}, claims)
  if (has('face') && !made.faces) { console.error("assay-subject: there are other faces, and the claims do not say how many in all: add 'faces: 2'"); process.exit(64) }
  return made
}

// A timer that is due goes off before the operation: in a turn of the loop requests come first.
const turn = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))
// On a clock that stands still no timer of this process goes off.
const pause = milliseconds => new Promise(resolve => process.env.FAKETIME_TIMESTAMP_FILE
  ? execFile('sleep', [String(milliseconds / 1000)], { env: { ...process.env, LD_PRELOAD: '' } }, resolve)
  : setTimeout(resolve, milliseconds))

// An open cache with what the kit does for it.
class Instance {
  constructor(make, claims, setup) {
    Object.assign(this, { claims, now: setup.nowNanoseconds || 0, isClosed: false, events: [], writes: [], fails: false, failing: new Set(), wants: wanted(make) })
    const capacity = setup.capacity || (claims.room && claims.room.capacity) || {}
    const amount = unit => capacity.unit === unit ? capacity.amount : undefined
    this.tell = (key, value, cause, group) => { this.events.push({ key, value, cause, group }) }
    this.cache = new make({
      entries: amount('objects'), weight: amount('bytes'), directory: setup.directory, clock: () => this.now, tell: this.tell,
      timeToLive: setup.timeToLiveNanoseconds, timeToIdle: setup.timeToIdleNanoseconds, stale: setup.staleNanoseconds, refresh: setup.refreshNanoseconds, format: setup.format, collide: setup.collide,
      writer: (key, value) => {
        if (this.fails || this.failing.has(key)) throw new Refused('inputOutput', 'the writer fails')
        this.writes.push({ key, value })
      },
    })
  }

  // What does an operation: the cache's method, or what the kit does in its place; undefined for neither.
  method(name, cache) {
    const taken = list => () => { const all = this[list]; this[list] = []; return all }
    if (typeof cache[name] === 'function') return cache[name].bind(cache)
    if (['flush', 'maintain', 'close'].includes(name)) return () => {}
    if (name === 'advance' && this.wants.has('clock')) return amount => { this.now += amount }
    if (name === 'events' && this.wants.has('tell')) return taken('events')
    if (!this.wants.has('writer')) return undefined
    return { writes: taken('writes'), failWrites: fails => { this.fails = fails }, failWritesOf: keys => { this.failing = new Set(keys) } }[name]
  }

  // Refuses keys and values outside of what is claimed. A refused value ends the old one too.
  async limit(step, face) {
    const store = this.claims.storage
    for (const key of [step.key, step.other, ...(step.keys || [])].filter(key => key !== undefined)) {
      if (key.length > 2 * store.keyBytesMax || (!key && !store.allowsEmptyKey)) throw new Refused('keyRefused', 'the claims allow no key of this length')
    }
    if (step.value !== undefined && step.value.length > 2 * store.valueBytesMax) {
      await this.perform({ operation: 'remove', key: step.key, ...(step.group === undefined ? {} : { group: step.group }) }, face)
      throw new Refused('valueRefused', 'the claims allow no value of this length')
    }
  }

  async perform(step, face = 0) {
    const name = step.operation
    if (name === 'pause') { await pause(step.amount); return { done: true } }
    if (this.isClosed && name !== 'close' && name !== 'writes') throw new Refused('closed', 'the cache is closed')
    if (face && typeof this.cache.face !== 'function') throw new Refused('unsupported', 'this cache has no other face')
    const cache = face && !WHOLE.includes(name) ? await this.cache.face(face) : this.cache
    const method = this.method(name, cache)
    if (!method) throw new Refused('unsupported', `'${name}' is not among what this cache does`)
    await this.limit(step, face)
    const terms = this.terms(name, step, cache)
    if (name === 'load') return this.load(method, step, terms)
    if (name === 'putMany') return this.putMany(method, step, face)
    const result = await method(...this.arguments(name, step), terms)
    if (name === 'close') this.isClosed = true
    return ANSWERS[name] ? ANSWERS[name](result) : { done: true }
  }

  // The terms and the group of a step; refused if the method's source has no word for one.
  terms(name, step, cache) {
    const { timeToLiveNanoseconds: ttl, cost, tags } = step.terms || {}, terms = {}
    for (const [word, value] of Object.entries({ ttl, cost, tags, group: step.group })) {
      if (value === undefined) continue
      if (mentions(cache[name], word)) terms[word] = value
      else if (!(word === 'cost' && value === 1) && !(word === 'tags' && !value.length)) throw new Refused('unsupported', `'${name}' of this cache has no ${word}`)
    }
    if (step.expiresAtNanoseconds !== undefined && mentions(cache[name], 'expiresAt')) terms.expiresAt = step.expiresAtNanoseconds
    return terms
  }

  arguments(name, step) {
    const made = []
    if (step.key !== undefined) made.push(text(step.key))
    if (step.keys) made.push(step.keys.map(text))
    if (step.other !== undefined) made.push(text(step.other))
    if (step.expected) made.push(bytes(step.expected.value))
    if (step.tag !== undefined) made.push(step.tag)
    if (name === 'update') return [...made, change(step)]
    if (name === 'listen') return [this.listener(step)]
    if (step.amount !== undefined) made.push(name === 'failWrites' || name === 'failLower' ? step.amount === 1 : step.amount)
    if (step.value !== undefined) made.push(bytes(step.value))
    return made
  }

  // What the cache calls with a key, a value and a cause; undefined to take its listener away.
  listener(step) {
    if (step.word === 'none') return undefined
    return (key, value, cause, group) => {
      if (step.word === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step.amount)
      this.tell(key, value, cause, group)
      if (step.word === 'fails') throw new Error('the listener fails')
      for (const item of step.items || []) this.perform(item).catch(() => {})
    }
  }

  async putMany(method, step, face) {
    const flags = [], pairs = []
    for (const item of step.items) {
      try {
        await this.limit(item, face)
        pairs.push([text(item.key), bytes(item.value)])
        flags.push(true)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        flags.push(false)
      }
    }
    const stored = await method(pairs)
    let next = 0
    return ANSWERS.putMany(flags.map(flag => flag && stored[next++]))
  }

  async load(method, step, terms) {
    let calls = 0
    const origin = async () => {
      calls++
      for (const other of step.meanwhile || []) await this.perform(other).catch(() => {}) // its answer is not asked for
      if (step.origin === 'failure') throw new OriginFailed('the origin fails')
      return step.origin === 'value' ? bytes(step.value) : undefined
    }
    try {
      const found = await method(text(step.key), origin, terms)
      return isNone(found) ? { loaded: 'nothing', calls } : { loaded: 'value', calls, entry: entry(found) }
    } catch (error) {
      if (error instanceof OriginFailed) return { loaded: 'failed', calls }
      throw error
    }
  }
}

function serve(make, name, claims = derived(make), needsDirectory = wanted(make).has('directory')) {
  const instances = new Map()
  const hasTimers = !wanted(make).has('clock') && !make.prototype.advance && (['timeToLive', 'timeToIdle', 'stale', 'refresh'].some(name => wanted(make).has(name)) || mentions(make.prototype.put, 'ttl'))
  async function result(request) {
    try {
      if (request.hello) {
        if (!request.hello.versions.includes(VERSION)) throw new Refused('unsupported', `this adapter speaks version ${VERSION}`)
        return { hello: { version: VERSION, name, claims, needsDirectory } }
      }
      if (request.step && hasTimers) await turn()
      if (request.step) return await instances.get(request.instance).perform(request.step, request.face)
      if (request.open) instances.set(request.instance, new Instance(make, claims, request.open))
      else instances.delete(request.instance)
      return { done: true }
    } catch (error) {
      const code = error instanceof Refused ? error.code : (make.errors || {})[error && error.name]
      if (!code) console.error(error)
      return { error: { code: code || 'inputOutput', message: String((error && error.message) || error) } }
    }
  }
  function write(id, answer) {
    let body = Buffer.from(JSON.stringify({ id, ...answer }))
    if (body.length > FRAME_MAX) body = Buffer.from(JSON.stringify({ id, error: { code: 'inputOutput', message: 'an answer too long' } }))
    const head = Buffer.alloc(4)
    head.writeUInt32BE(body.length)
    process.stdout.write(Buffer.concat([head, body]))
  }
  const answer = async request => write(request.id, await result(request))
  console.log = console.error // what a library prints must not get between the frames
  let chunks = [], size = 0, last = Promise.resolve()
  process.stdin.on('data', chunk => {
    chunks.push(chunk)
    size += chunk.length
    if (size < 4) return
    if (chunks[0].length < 4) chunks = [Buffer.concat(chunks)]
    while (size >= 4) {
      const length = chunks[0].length >= 4 ? chunks[0].readUInt32BE(0) : (chunks = [Buffer.concat(chunks)])[0].readUInt32BE(0)
      if (length > FRAME_MAX) { console.error(`assay-subject: a frame of ${length} bytes; the most is ${FRAME_MAX}`); process.exit(1) }
      if (size < 4 + length) return
      const all = chunks.length > 1 ? Buffer.concat(chunks) : chunks[0], request = JSON.parse(all.toString('utf8', 4, 4 + length))
      chunks = [all.subarray(4 + length)]
      size -= 4 + length
      if (claims.storage.isConcurrent) answer(request)
      else last = last.then(() => answer(request))
    }
  })
  process.stdin.on('end', () => last.then(() => process.exit(0)))
}

module.exports = { serve, Refused, OriginFailed, STORE }
