// package golang-github-hashicorp-golang-lru-dev
package main

import "github.com/hashicorp/golang-lru/simplelru"

type Subject struct{ c *simplelru.LRU }

func (s Subject) Put(k string, v []byte)      { s.c.Add(k, v) }
func (s Subject) Get(k string) ([]byte, bool) { return valueOf(s.c.Get(k)) }
func (s Subject) Contains(k string) bool      { return s.c.Contains(k) }
func (s Subject) Remove(k string) bool        { return s.c.Remove(k) }
func (s Subject) RemoveAll()                  { s.c.Purge() }
func (s Subject) Count() int                  { return s.c.Len() }
func (s Subject) Keys() []string              { return keysOf(s.c.Keys()) }
func (s Subject) Resize(n int)                { s.c.Resize(n) }

// The callback says no cause, and nothing of what is replaced.
const claims = `{"order": "lru", "deviations": ["noCauses", "replacementsAreNotTold"]}`

func main() {
	Serve("hashicorp/golang-lru simplelru", claims, func(setup Setup) (Subject, error) {
		tell := setup.Tell()
		c, err := simplelru.NewLRU(int(setup.Entries()), func(k, v interface{}) { tell(k.(string), v.([]byte), "evicted") })
		return Subject{c}, err
	})
}
