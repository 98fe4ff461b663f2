// A cache under Assay's conformance suite. Put your cache in the place of LRU, and its calls in the place of those of Subject.
package main

import "container/list"

type pair struct {
	key   string
	value []byte
}

type LRU struct {
	limit   int64
	order   *list.List
	entries map[string]*list.Element
}

func (c *LRU) Put(key string, value []byte) {
	c.Remove(key)
	c.entries[key] = c.order.PushFront(pair{key, value})
	if int64(len(c.entries)) > c.limit {
		c.Remove(c.order.Back().Value.(pair).key)
	}
}

func (c *LRU) Get(key string) ([]byte, bool) {
	if found, ok := c.entries[key]; ok {
		c.order.MoveToFront(found)
		return found.Value.(pair).value, true
	}
	return nil, false
}

func (c *LRU) Remove(key string) bool {
	found, ok := c.entries[key]
	if ok {
		c.order.Remove(found)
		delete(c.entries, key)
	}
	return ok
}

type Subject struct{ cache *LRU }

func (s Subject) Put(key string, value []byte)  { s.cache.Put(key, value) }
func (s Subject) Get(key string) ([]byte, bool) { return s.cache.Get(key) }
func (s Subject) Contains(key string) bool      { return s.cache.entries[key] != nil }
func (s Subject) Remove(key string) bool        { return s.cache.Remove(key) }
func (s Subject) RemoveAll()                    { s.cache.order.Init(); s.cache.entries = map[string]*list.Element{} }
func (s Subject) Count() int                    { return len(s.cache.entries) }
func (s Subject) Keys() (keys []string) {
	for key := range s.cache.entries {
		keys = append(keys, key)
	}
	return keys
}

func main() {
	Serve("my cache 1.0", `{"order": "lru"}`, func(setup Setup) (Subject, error) {
		return Subject{&LRU{setup.Entries(), list.New(), map[string]*list.Element{}}}, nil
	})
}
