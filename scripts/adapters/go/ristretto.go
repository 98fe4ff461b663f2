// package golang-github-dgraph-io-ristretto-dev
package main

import (
	"math"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/ristretto"
)

type signal chan struct{}

// Subject counts clears: each closes a channel, since a clear throws away what waits in the buffer, a signal too.
type Subject struct {
	onClock
	c       *ristretto.Cache
	cleared *atomic.Value
	row     *[]func() // puts that wait to be done in a row, if that is asked for
}

func (s Subject) doRow() {
	if s.row != nil {
		for _, put := range *s.row {
			put()
		}
		*s.row = nil
	}
}

// Flush puts a signal, which costs too much to be kept. Its cost is asked for when its turn in the buffer comes.
func (s Subject) Flush() {
	s.doRow()
	for {
		done, cleared := make(signal, 1), s.cleared.Load().(signal)
		if !s.c.Set("\x00flush\x00", done, 0) { // the buffer is full
			time.Sleep(50 * time.Microsecond)
			continue
		}
		select {
		case <-done:
			return
		case <-cleared:
		}
	}
}
func (s Subject) Put(k string, v []byte, t Terms) error {
	if life := lasting(t, 0); s.row != nil && life >= 0 {
		*s.row = append(*s.row, func() { s.c.SetWithTTL(k, v, t.Weight(), life) })
		return nil
	}
	s.doRow()
	if !s.c.SetWithTTL(k, v, t.Weight(), lasting(t, 0)) {
		return Refused{"valueRefused", "Set was dropped"}
	}
	return nil
}
func (s Subject) Get(k string) ([]byte, bool) { return valueOf(s.c.Get(k)) }
func (s Subject) Contains(k string) bool      { _, ok := s.c.Get(k); return ok }
func (s Subject) Remove(k string) bool {
	s.doRow()
	s.c.Del(k)
	return false // it tells nothing
}
func (s Subject) RemoveAll() {
	s.doRow()
	s.c.Clear()
	close(s.cleared.Swap(make(signal)).(signal))
}
func (s Subject) Close() { s.c.Close() }
func (s Subject) Statistics() map[string]uint64 {
	return map[string]uint64{"hits": s.c.Metrics.Hits(), "misses": s.c.Metrics.Misses()}
}

// What has expired costs until a ticker of 2.5 s has come by: the cost is not claimed.
const claims = `{"features": ["frequencyAware"], "storage": {"isConcurrent": true, "retains": false}, "room": {"isStrict": false},
	"limits": {"capacityMax": 16777216}, "deviations": ["liveAtDeadline", "sharedClock", "zeroTimeToLiveIsForever", "refusedPutKeepsOld",
	"dropsOversized", "removeTellsNothing", "containsIsGet", "clearResetsCounters", "writesTakeEffectLater"]}`

func main() {
	// Between two requests ristretto has the time that the pipe takes. With this word puts are kept, and done without a pause.
	inARow, claims := len(os.Args) > 1 && os.Args[1] == "in-a-row", claims
	if inARow {
		claims = strings.Replace(claims, `"isConcurrent": true`, `"isConcurrent": false`, 1)
	}
	Serve("dgraph-io/ristretto", claims, func(setup Setup) (Subject, error) {
		setup.Clock()
		amount, isWeight := setup.Weight()
		if !isWeight {
			amount = setup.Entries()
		}
		c, err := ristretto.NewCache(&ristretto.Config{NumCounters: 10 * amount, MaxCost: amount, BufferItems: 64, Metrics: true,
			Cost: func(v interface{}) int64 {
				if done, ok := v.(signal); ok {
					done <- struct{}{}
					return math.MaxInt64
				}
				return 0
			}})
		cleared := &atomic.Value{}
		cleared.Store(make(signal))
		s := Subject{c: c, cleared: cleared}
		if inARow {
			s.row = &[]func(){}
		}
		return s, err
	})
}
