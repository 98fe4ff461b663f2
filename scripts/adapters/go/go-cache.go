// package golang-github-patrickmn-go-cache-dev
package main

import gocache "github.com/patrickmn/go-cache"

type Subject struct {
	onClock
	c *gocache.Cache
}

func (s Subject) Put(k string, v []byte, t Terms) { s.c.Set(k, v, lasting(t, gocache.NoExpiration)) }
func (s Subject) PutIfAbsent(k string, v []byte, t Terms) bool {
	return s.c.Add(k, v, lasting(t, gocache.NoExpiration)) == nil
}
func (s Subject) Replace(k string, v []byte, t Terms) bool {
	return s.c.Replace(k, v, lasting(t, gocache.NoExpiration)) == nil
}
func (s Subject) Get(k string) ([]byte, bool) { return valueOf(s.c.Get(k)) }
func (s Subject) Contains(k string) bool      { _, ok := s.c.Get(k); return ok }
func (s Subject) Remove(k string) bool        { s.c.Delete(k); return false } // it tells nothing
func (s Subject) RemoveAll()                  { s.c.Flush() }
func (s Subject) Count() int                  { return s.c.ItemCount() }
func (s Subject) Maintain()                   { s.c.DeleteExpired() }

// A duration of 0 is the default, here none; NoExpiration is -1, and any other below 0 is the same. OnEvicted is told of Delete and DeleteExpired. ItemCount "may include items that have expired".
const claims = `{"storage": {"isConcurrent": true, "iterates": true}, "deviations": ["liveAtDeadline", "sharedClock", "zeroTimeToLiveIsForever",
	"negativeTimeToLiveIsForever", "removeTellsNothing", "containsIsGet", "countsExpired", "cannotList", "noCauses", "replacementsAreNotTold",
	"clearsAreNotTold", "expirationsAreNotTold"]}`

func main() {
	Serve("patrickmn/go-cache", claims, func(setup Setup) (Subject, error) {
		setup.Clock()
		c, tell := gocache.New(gocache.NoExpiration, 0), setup.Tell()
		c.OnEvicted(func(k string, v interface{}) { tell(k, v.([]byte), "removed") })
		return Subject{onClock{}, c}, nil
	})
}
