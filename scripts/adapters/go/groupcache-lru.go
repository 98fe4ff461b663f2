// package golang-github-golang-groupcache-dev
package main

import "github.com/golang/groupcache/lru"

type Subject struct{ c *lru.Cache }

func (s Subject) Put(k string, v []byte)      { s.c.Add(k, v) }
func (s Subject) Get(k string) ([]byte, bool) { return valueOf(s.c.Get(k)) }
func (s Subject) Contains(k string) bool      { _, ok := s.c.Get(k); return ok } // there is no other look
func (s Subject) Remove(k string) bool        { s.c.Remove(k); return false }    // it tells nothing
func (s Subject) RemoveAll()                  { s.c.Clear() }
func (s Subject) Count() int                  { return s.c.Len() }

const claims = `{"order": "lru", "storage": {"iterates": true}, "deviations": ["containsIsGet", "removeTellsNothing", "cannotList",
	"zeroCapacityIsUnlimited", "noCauses", "replacementsAreNotTold"]}`

func main() {
	Serve("golang/groupcache lru", claims, func(setup Setup) (Subject, error) {
		c, tell := lru.New(int(setup.Entries())), setup.Tell()
		c.OnEvicted = func(k lru.Key, v interface{}) { tell(k.(string), v.([]byte), "evicted") }
		return Subject{c}, nil
	})
}
