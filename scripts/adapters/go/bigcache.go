// package golang-github-allegro-bigcache-dev
package main

import (
	"time"

	"github.com/allegro/bigcache"
)

type fewValues struct{}

func (fewValues) Sum64(k string) uint64 { return uint64(len(k) % 4) }

type Subject struct{ c *bigcache.BigCache }

func (s Subject) Put(k string, v []byte) error { return s.c.Set(k, v) }
func (s Subject) Get(k string) ([]byte, bool)  { v, err := s.c.Get(k); return v, err == nil }
func (s Subject) Contains(k string) bool       { _, err := s.c.Get(k); return err == nil } // there is no other look
func (s Subject) Remove(k string) bool         { return s.c.Delete(k) == nil }
func (s Subject) RemoveAll()                   { _ = s.c.Reset() }
func (s Subject) Count() int                   { return s.c.Len() }
func (s Subject) Close()                       { _ = s.c.Close() }
func (s Subject) Keys() (keys []string) {
	for it := s.c.Iterator(); it.SetNext(); {
		if e, err := it.Value(); err == nil {
			keys = append(keys, e.Key())
		}
	}
	return keys
}
func (s Subject) Statistics() map[string]int64 {
	t := s.c.Stats()
	return map[string]int64{"hits": int64(t.Hits), "misses": int64(t.Misses)}
}

func main() { // lengths of keys have 16 bits; the limit is in MiB, for all shards together
	Serve("allegro/bigcache", `{"storage": {"isConcurrent": true, "keyBytesMax": 65535},
		"room": {"capacity": {"amount": 33554432, "unit": "bytes"}, "isAdjustable": false, "units": ["bytes"], "isStrict": false},
		"deviations": ["containsIsGet", "weighsBytes", "collisionsLoseEntries"]}`, func(setup Setup) (Subject, error) {
		config := bigcache.Config{Shards: 1, LifeWindow: 1000000 * time.Hour, MaxEntriesInWindow: 100, MaxEntrySize: 100, HardMaxCacheSize: 32}
		if setup.Collide() {
			config.Hasher = fewValues{}
		}
		c, err := bigcache.NewBigCache(config)
		return Subject{c}, err
	})
}
