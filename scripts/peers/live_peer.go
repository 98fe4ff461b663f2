// One pass of one cache in Go, for scripts/peers-live: prints figures as JSON. Keys, values, trace and warm-up are those of Assay's
// own passes.
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allegro/bigcache"
	"github.com/dgraph-io/ristretto"
	lru "github.com/hashicorp/golang-lru"
)

const (
	block  = 64
	sample = 16 // one request in so many is timed, on average
)

type peer interface {
	get(key string) []byte // nil if there is none
	put(key string, value []byte)
	entries() int // -1 for a cache that cannot say
}

// dgraph-io/ristretto with every entry of cost 1: it drops writes under load.
type ristrettoPeer struct{ cache *ristretto.Cache }

func (p ristrettoPeer) get(key string) []byte {
	value, found := p.cache.Get(key)
	if !found {
		return nil
	}
	return value.([]byte)
}
func (p ristrettoPeer) put(key string, value []byte) { p.cache.Set(key, value, 1) }
func (p ristrettoPeer) entries() int {
	if p.cache.Metrics == nil { // counting would cost it time
		return -1
	}
	time.Sleep(100 * time.Millisecond) // for the writes that it has put off
	return int(p.cache.Metrics.KeysAdded() - p.cache.Metrics.KeysEvicted())
}

// hashicorp/golang-lru: a list and a map under one lock.
type hashicorpPeer struct{ cache *lru.Cache }

func (p hashicorpPeer) get(key string) []byte {
	value, found := p.cache.Get(key)
	if !found {
		return nil
	}
	return value.([]byte)
}
func (p hashicorpPeer) put(key string, value []byte) { p.cache.Add(key, value) }
func (p hashicorpPeer) entries() int                 { return p.cache.Len() }

// allegro/bigcache: bytes in rings of whole megabytes, first in, first out; it copies what it returns.
type bigcachePeer struct{ cache *bigcache.BigCache }

func (p bigcachePeer) get(key string) []byte        { value, _ := p.cache.Get(key); return value }
func (p bigcachePeer) put(key string, value []byte) { p.cache.Set(key, value) }
func (p bigcachePeer) entries() int                 { return p.cache.Len() }

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func open(subject string, capacity, valueBytes int, isCounted bool) peer {
	switch subject {
	case "ristretto":
		cache, err := ristretto.NewCache(&ristretto.Config{
			NumCounters: int64(capacity) * 10, MaxCost: int64(capacity), BufferItems: 64, Metrics: isCounted})
		check(err)
		return ristrettoPeer{cache}
	case "hashicorp-lru":
		cache, err := lru.New(capacity)
		check(err)
		return hashicorpPeer{cache}
	case "bigcache":
		// An entry has a header of 18 bytes besides key and value.
		megabytes := (capacity*(18+20+valueBytes) + 1<<20 - 1) >> 20
		cache, err := bigcache.NewBigCache(bigcache.Config{
			Shards: 1, LifeWindow: time.Hour, MaxEntriesInWindow: capacity, MaxEntrySize: 20 + valueBytes,
			HardMaxCacheSize: megabytes})
		check(err)
		return bigcachePeer{cache}
	}
	check(fmt.Errorf("there is no %s", subject))
	return nil
}

// The objects of an oracleGeneral trace, renumbered in order of first appearance.
func readTrace(path string) (order []int, objects int) {
	raw, err := os.ReadFile(path)
	check(err)
	numbers := map[uint64]int{}
	for at := 0; at+24 <= len(raw); at += 24 {
		id := binary.LittleEndian.Uint64(raw[at+4:])
		number, found := numbers[id]
		if !found {
			number = len(numbers)
			numbers[id] = number
		}
		order = append(order, number)
	}
	return order, len(numbers)
}

type load struct {
	peer      peer
	order     []int
	keys      []string
	values    [][]byte
	onlyReads bool
	isTimed   bool
	threads   int
}

// Whoever asks for a value reads it.
func (l *load) read(object int) bool {
	value := l.peer.get(l.keys[object])
	return value != nil && value[0] == byte(object)
}

func (l *load) write(object int) {
	if !l.onlyReads {
		l.peer.put(l.keys[object], l.values[object])
	}
}

// The times in nanoseconds of a sample: of reads alone, and with the writes that followed.
type times struct{ reads, requests []int64 }

func (t *times) sort() {
	for _, some := range [][]int64{t.reads, t.requests} {
		sort.Slice(some, func(a, b int) bool { return some[a] < some[b] })
	}
}

// Makes requests by some threads; returns the hits, the times, and how long it took.
func (l *load) drive(count, threads int) (hits int64, all times, took time.Duration) {
	var cursor int64
	var running sync.WaitGroup
	var lock sync.Mutex
	start := time.Now()
	for thread := 0; thread < threads; thread++ {
		running.Add(1)
		go func(seed int64) {
			defer running.Done()
			random := rand.New(rand.NewSource(seed))
			var mine int64
			var taken times
			for {
				first := int(atomic.AddInt64(&cursor, block)) - block
				if first >= count {
					break
				}
				place := first % len(l.order)
				for i := first; i < first+block && i < count; i++ {
					object := l.order[place]
					if place++; place == len(l.order) {
						place = 0
					}
					isHit := false
					if l.isTimed && random.Intn(sample) == 0 {
						before := time.Now()
						isHit = l.read(object)
						taken.reads = append(taken.reads, int64(time.Since(before)))
						if !isHit {
							l.write(object)
						}
						taken.requests = append(taken.requests, int64(time.Since(before)))
					} else if isHit = l.read(object); !isHit {
						l.write(object)
					}
					if isHit {
						mine++
					}
				}
			}
			lock.Lock()
			hits += mine
			all.reads, all.requests = append(all.reads, taken.reads...), append(all.requests, taken.requests...)
			lock.Unlock()
		}(int64(thread))
	}
	running.Wait()
	return hits, all, time.Since(start)
}

func allocated() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func main() {
	subject, pass := os.Args[1], os.Args[2]
	options := flag.NewFlagSet("live_peer", flag.ExitOnError)
	trace := options.String("trace", "", "")
	capacity := options.Int("capacity", 0, "")
	valueBytes := options.Int("value-bytes", 256, "")
	requests := options.Int("requests", 0, "")
	threads := options.Int("threads", 1, "")
	check(options.Parse(os.Args[3:]))
	runtime.GOMAXPROCS(*threads)

	order, objects := readTrace(*trace)
	l := &load{order: order, onlyReads: pass == "reads", isTimed: pass == "latency", threads: *threads}
	for object := 0; object < objects; object++ {
		l.keys = append(l.keys, fmt.Sprintf("object/%013d", object))
		value := make([]byte, *valueBytes)
		for i := range value {
			value[i] = byte(object)
		}
		l.values = append(l.values, value)
	}
	if *capacity > objects {
		*capacity = objects
	}
	fill := func() {
		for object := 0; object < *capacity; object++ {
			l.peer.put(l.keys[object], l.values[object])
		}
	}
	figures := map[string]interface{}{"requests": *requests, "hits": 0, "seconds": 0}
	if pass == "memory" {
		l.peer = open(subject, *capacity, *valueBytes, true)
		fill() // what a first use makes is no entry's
		l.peer = nil
		before := allocated()
		l.peer = open(subject, *capacity, *valueBytes, true)
		fill()
		entries := l.peer.entries()
		figures["entries"] = entries
		if subject != "bigcache" && entries > 0 { // which takes its memory in megabytes
			figures["bytesPerEntry"] = (float64(allocated())-float64(before))/float64(entries) - 40
		}
		runtime.KeepAlive(l.peer)
	} else {
		room := *capacity
		if l.onlyReads && subject == "bigcache" {
			room *= 2 // reads are of entries that are all there
		}
		l.peer = open(subject, room, *valueBytes, false)
		if l.onlyReads {
			fill()
			for i := range l.order {
				l.order[i] %= *capacity
			}
		} else {
			l.isTimed = false
			l.drive(len(l.order), 1)
			l.isTimed = pass == "latency"
		}
		l.peer.entries()
		runtime.GC()
		hits, times, took := l.drive(*requests, *threads)
		figures["hits"], figures["seconds"] = hits, took.Seconds()
		if entries := l.peer.entries(); entries >= 0 {
			figures["entries"] = entries
		}
		if count := len(times.requests); count > 0 {
			times.sort()
			figures["p50Nanoseconds"] = times.requests[count/2]
			figures["p99Nanoseconds"] = times.requests[count*99/100]
			figures["readP99Nanoseconds"] = times.reads[count*99/100]
		}
	}
	text, err := json.Marshal(figures)
	check(err)
	fmt.Println(string(text))
}
