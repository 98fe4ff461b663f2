// package golang-github-victoriametrics-fastcache-dev
package main

import "github.com/VictoriaMetrics/fastcache"

type Subject struct{ c *fastcache.Cache }

func (s Subject) Put(k string, v []byte)      { s.c.Set([]byte(k), v) }
func (s Subject) Get(k string) ([]byte, bool) { return s.c.HasGet(nil, []byte(k)) }
func (s Subject) Contains(k string) bool      { return s.c.Has([]byte(k)) }
func (s Subject) Remove(k string) bool        { s.c.Del([]byte(k)); return false } // it tells nothing
func (s Subject) RemoveAll()                  { s.c.Reset() }
func (s Subject) Statistics() map[string]uint64 {
	var t fastcache.Stats
	s.c.UpdateStats(&t)
	return map[string]uint64{"hits": t.GetCalls - t.Misses, "misses": t.Misses}
}

// "(k, v) entries with summary size exceeding 64KB aren't stored": four bytes are the cache's. Has is counted as a call, and Reset forgets the counters.
const claims = `{"storage": {"isConcurrent": true, "keyBytesMax": 4096, "valueBytesMax": 1048576}, "limits": {"entryBytesMax": 65531},
	"room": {"capacity": {"amount": 67108864, "unit": "bytes"}, "isAdjustable": false, "units": ["bytes"], "isStrict": false},
	"deviations": ["dropsOversized", "removeTellsNothing", "containsIsGet", "clearResetsCounters", "weighsBytes"]}`

func main() {
	Serve("VictoriaMetrics/fastcache", claims, func(Setup) (Subject, error) { return Subject{fastcache.New(64 << 20)}, nil })
}
