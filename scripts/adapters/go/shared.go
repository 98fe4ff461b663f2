// What the adapters share. The clock of package `time` is the suite's: go-clock makes the overlay that gives it VirtualStart.
package main

import "time"

func init() { time.VirtualStart() }

type onClock struct{}

func (onClock) Advance(nanoseconds int64) { time.VirtualAdvance(nanoseconds) }

// lasting is a time to live as a duration; without one it is what the cache has for no end.
func lasting(t Terms, never time.Duration) time.Duration {
	if t.TTL == nil {
		return never
	}
	return time.Duration(*t.TTL)
}

func valueOf(v interface{}, ok bool) ([]byte, bool) {
	if !ok {
		return nil, false
	}
	return v.([]byte), true
}

func keysOf(found []interface{}) (keys []string) {
	for _, k := range found {
		keys = append(keys, k.(string))
	}
	return keys
}
