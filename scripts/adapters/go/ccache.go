// package golang-github-karlseguin-ccache-dev
package main

import (
	"time"

	"github.com/karlseguin/ccache"
)

type Subject struct {
	onClock
	c *ccache.Cache
}

func (s Subject) item(k string) (v []byte, ok bool) { // Get "can return an expired item. Use item.Expired()"
	item := s.c.Get(k)
	if ok = item != nil && !item.Expired(); ok {
		v = item.Value().([]byte)
	}
	return
}
func (s Subject) Put(k string, v []byte, t Terms) { s.c.Set(k, v, lasting(t, 100*365*24*time.Hour)) }
func (s Subject) Replace(k string, v []byte) bool { return s.c.Replace(k, v) }
func (s Subject) Get(k string) ([]byte, bool)     { return s.item(k) }
func (s Subject) Contains(k string) bool          { _, ok := s.item(k); return ok }
func (s Subject) Remove(k string) bool            { return s.c.Delete(k) }
func (s Subject) RemoveAll()                      { s.settle(); s.c.Clear() } // "this isn't thread safe": its worker has to be done
func (s Subject) Maintain()                       { s.settle() }
func (s Subject) settle()                         { time.Sleep(2 * time.Millisecond) }
func (s Subject) Load(k string, origin func() ([]byte, error), t Terms) ([]byte, error) {
	item, err := s.c.Fetch(k, lasting(t, 100*365*24*time.Hour), func() (interface{}, error) { return origin() })
	if err != nil {
		return nil, err
	}
	return item.Value().([]byte), nil
}

const claims = `{"room": {"isStrict": false}, "deviations": ["liveAtDeadline", "sharedClock", "removesExpired", "containsIsGet",
	"emptyLoadsAreFailures"]}`

func main() {
	Serve("karlseguin/ccache", claims, func(setup Setup) (Subject, error) {
		setup.Clock()
		return Subject{c: ccache.New(ccache.Configure().MaxSize(setup.Entries()).ItemsToPrune(1).GetsPerPromote(1))}, nil
	})
}
