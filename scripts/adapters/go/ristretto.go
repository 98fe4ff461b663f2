// package golang-github-dgraph-io-ristretto-dev
package main

import (
	"math"
	"time"

	"github.com/dgraph-io/ristretto"
)

type signal chan struct{}
type Subject struct {
	onClock
	c *ristretto.Cache
}

// wait puts a value whose cost is asked for when its turn in the buffer comes, and which costs too much to be kept. Clear throws it away.
func (s Subject) wait() {
	done := make(signal, 1)
	for tries := 0; tries < 1000; tries++ {
		if tries%100 == 0 {
			s.c.Set("\x00wait\x00", done, 0)
		}
		select {
		case <-done:
			return
		default:
			time.Sleep(50 * time.Microsecond)
		}
	}
}
func (s Subject) Put(k string, v []byte, t Terms) error {
	if !s.c.SetWithTTL(k, v, t.Weight(), lasting(t, 0)) {
		return Refused{"valueRefused", "Set was dropped"}
	}
	return nil
}
func (s Subject) Get(k string) ([]byte, bool) { return valueOf(s.c.Get(k)) }
func (s Subject) Contains(k string) bool      { _, ok := s.c.Get(k); return ok }
func (s Subject) Remove(k string) bool        { s.c.Del(k); return false } // it tells nothing
func (s Subject) Flush()                      { s.wait() }
func (s Subject) RemoveAll()                  { s.c.Clear() }
func (s Subject) Close()                      { s.c.Close() }
func (s Subject) Statistics() map[string]uint64 {
	return map[string]uint64{"hits": s.c.Metrics.Hits(), "misses": s.c.Metrics.Misses()}
}

// What has expired costs until a ticker of 2.5 s has come by: the cost is not claimed.
const claims = `{"features": ["frequencyAware"], "storage": {"isConcurrent": true, "retains": false}, "room": {"isStrict": false},
	"limits": {"capacityMax": 16777216}, "deviations": ["liveAtDeadline", "sharedClock", "zeroTimeToLiveIsForever", "refusedPutKeepsOld",
	"dropsOversized", "removeTellsNothing", "containsIsGet", "clearResetsCounters", "writesTakeEffectLater"]}`

func main() {
	Serve("dgraph-io/ristretto", claims, func(setup Setup) (Subject, error) {
		setup.Clock()
		amount, isWeight := setup.Weight()
		if !isWeight {
			amount = setup.Entries()
		}
		c, err := ristretto.NewCache(&ristretto.Config{NumCounters: 10 * amount, MaxCost: amount, BufferItems: 64, Metrics: true,
			Cost: func(v interface{}) int64 {
				if done, ok := v.(signal); ok {
					select {
					case done <- struct{}{}:
					default:
					}
					return math.MaxInt64
				}
				return 0
			}})
		return Subject{c: c}, err
	})
}
