// package golang-github-renekroon-ttlcache-dev
package main

import (
	"time"

	"github.com/ReneKroon/ttlcache"
)

type Subject struct {
	onClock
	c *ttlcache.Cache
}

func (s Subject) Put(k string, v []byte, t Terms) error {
	return s.c.SetWithTTL(k, v, lasting(t, ttlcache.ItemNotExpire))
}
func (s Subject) Get(k string) ([]byte, bool) { v, err := s.c.Get(k); return valueOf(v, err == nil) }
func (s Subject) Contains(k string) bool      { _, ok := s.Get(k); return ok } // there is no other look
func (s Subject) Remove(k string) bool        { return s.c.Remove(k) == nil }
func (s Subject) RemoveAll()                  { _ = s.c.Purge() }
func (s Subject) Count() int                  { return s.c.Count() }
func (s Subject) Keys() []string              { return s.c.GetKeys() }
func (s Subject) Close()                      { _ = s.c.Close() }
func (s Subject) Statistics() map[string]int64 {
	m := s.c.GetMetrics()
	return map[string]int64{"hits": m.Hits, "misses": m.Misses}
}
func (s Subject) Load(k string, origin func() ([]byte, error), t Terms) ([]byte, error) {
	v, err := s.c.GetByLoader(k, func(string) (interface{}, time.Duration, error) {
		v, err := origin()
		return v, lasting(t, ttlcache.ItemNotExpire), err
	})
	loaded, _ := v.([]byte)
	return loaded, err
}

const claims = `{"features": ["coalesce"], "storage": {"isConcurrent": true}, "deviations": ["liveAtDeadline", "sharedClock", "containsIsGet",
	"zeroTimeToLiveIsForever", "negativeTimeToLiveIsForever", "countsExpired", "removesExpired", "zeroCapacityIsUnlimited", "emptyLoadsAreFailures"]}`

func main() {
	Serve("ReneKroon/ttlcache", claims, func(setup Setup) (Subject, error) {
		setup.Clock()
		c := ttlcache.NewCache()
		c.SkipTTLExtensionOnHit(true)
		c.SetCacheSizeLimit(int(setup.Entries()))
		return Subject{c: c}, nil
	})
}
