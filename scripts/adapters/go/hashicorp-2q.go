// package golang-github-hashicorp-golang-lru-dev
package main

import hashicorp "github.com/hashicorp/golang-lru"

type Subject struct{ c *hashicorp.TwoQueueCache }

func (s Subject) Put(k string, v []byte)      { s.c.Add(k, v) }
func (s Subject) Get(k string) ([]byte, bool) { return valueOf(s.c.Get(k)) }
func (s Subject) Contains(k string) bool      { return s.c.Contains(k) }
func (s Subject) Remove(k string) bool        { s.c.Remove(k); return false } // it tells nothing
func (s Subject) RemoveAll()                  { s.c.Purge() }
func (s Subject) Count() int                  { return s.c.Len() }
func (s Subject) Keys() []string              { return keysOf(s.c.Keys()) }

const claims = `{"features": ["frequencyAware"], "storage": {"isConcurrent": true}, "deviations": ["removeTellsNothing"]}`

func main() {
	Serve("hashicorp/golang-lru 2Q", claims, func(setup Setup) (Subject, error) {
		c, err := hashicorp.New2Q(int(setup.Entries()))
		return Subject{c}, err
	})
}
