// Assay's subject protocol (docs/subject-protocol.md, version 1) for caches in Go, in one file over the standard library.
//
// Write a type with a method for each operation that your cache has, and call Serve("name 1.0", claims, open) from main:
//
//	Get(key string) ([]byte, bool)              Contains, Remove(key string) bool           RemoveAll()
//	Put(key string, value []byte)               Count() int                                 Keys() []string
//	PutIfAbsent, Replace(key, value) bool       CompareAndSet(key, expected, value) bool    Exchange(key, value) ([]byte, bool)
//	Take(key) ([]byte, bool)                    GetMany(keys []string) [][]byte             RemoveMany(keys []string) int
//	PutMany(keys []string, values [][]byte) []bool   FirstKeys(amount int) []string         Rename(key, other string) bool
//	Update(key, func([]byte, bool) ([]byte, bool)) ([]byte, bool)    Increment(key string, amount int64) int64
//	Touch(key string, nanoseconds int64) bool   RemainingTime(key string) (int64, bool)     Cost() int64    Resize(amount int)
//	Statistics() map[string]int64               RemoveTagged(tag string)                    Mark, RemoveIfMarked(key string) bool
//	SetIfMarked(key, value) bool                Pin, Unpin(key string) bool                 GiveUp(key string)    DiskUsage() int64
//	Load(key string, origin func() ([]byte, error)) ([]byte, error)  FailLower(fails bool)  DropMemory()  Flush() Maintain() Close()
//	LimitGroup(group string, amount int)        Listen(listener Listener)  (nil takes it away)    Advance, Sleep(nanoseconds int64)
//	Face(number int) T    (the same methods, by the face of that number, 1 or more; `claims` say how many there are: {"faces":2})
//
// A method may take Terms after the rest and may return an error after the rest: a Refused with one of the protocol's codes, or any
// other. Among many values nil is none. ErrNothing is what `origin` returns where there is no value; pass errors of it on.
//
// What is written is claimed, and so is what `open` asks of its Setup: Entries, Weight, Clock, Tell, Writer, Directory, TimeToLive, TimeToIdle, Stale,
// Refresh, Collide. Terms after Put claim a time to live if the Clock is asked for. `claims` is JSON that is laid over that:
// {"order":"lru","storage":{"isConcurrent":true}}; null takes a member away, and "-name" among the features one of these. An operation
// or a term that is not claimed is answered `unsupported`.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const frameMax = 64 << 20

// Refused is one of the protocol's errors: closed, keyRefused, valueRefused, full, corrupt, unavailable, unsupported, inputOutput.
type Refused struct{ Code, Message string }

func (r Refused) Error() string { return r.Code + ": " + r.Message }

// ErrNothing says that the origin has no value; errOrigin is the origin's own error.
var ErrNothing, errOrigin = errors.New("there is no value"), errors.New("the origin fails")

// Terms of a write. TTL is nil for ever, Group is nil outside of groups.
type Terms struct {
	TTL   *int64   `json:"timeToLiveNanoseconds"`
	Cost  *int64   `json:"cost"`
	Tags  []string `json:"tags"`
	Group *string  `json:"-"`
}

// Weight is the cost, 1 if none is given.
func (t Terms) Weight() int64 {
	if t.Cost == nil {
		return 1
	}
	return *t.Cost
}

// Listener is told of what leaves: evicted, expired, replaced or removed.
type Listener func(key string, value []byte, cause string)

// Clock is virtual time in nanoseconds.
type Clock struct{ now int64 }

func (c *Clock) Now() int64 { return atomic.LoadInt64(&c.now) }

// Setup is what an instance is opened with. What is asked of it is claimed.
type Setup struct {
	request *openRequest
	kit     *instance
	asked   map[string]bool
}

func (s Setup) amount(unit string) (int64, bool) {
	s.asked[unit] = true
	if s.request.Capacity == nil {
		return 1 << 16, unit == "objects" || !s.asked["objects"]
	}
	return s.request.Capacity.Amount, s.request.Capacity.Unit == unit
}

// Entries is how many entries the cache may hold.
func (s Setup) Entries() int64 { n, _ := s.amount("objects"); return n }

// Weight is how much the costs may add up to, where the room is in bytes. Ask it before Entries if the cache can have both.
func (s Setup) Weight() (int64, bool) {
	n, is := s.amount("bytes")
	return n, is && s.request.Capacity != nil
}
func (s Setup) time(name string, given *int64) (int64, bool) {
	s.asked[name] = true
	if given == nil {
		return 0, false
	}
	return *given, true
}

// TimeToLive is the one of all entries; asking for it states the deviation oneTimeToLive.
func (s Setup) TimeToLive() (int64, bool) { return s.time("oneTimeToLive", s.request.Life) }
func (s Setup) TimeToIdle() (int64, bool) { return s.time("timeToIdle", s.request.Idle) }
func (s Setup) Stale() (int64, bool)      { return s.time("staleServe", s.request.Stale) }
func (s Setup) Refresh() (int64, bool)    { return s.time("refresh", s.request.Refresh) }

// Clock is this instance's clock; Advance then needs no method.
func (s Setup) Clock() *Clock { s.asked["clock"] = true; return &s.kit.clock }

// Directory is this instance's own.
func (s Setup) Directory() string { s.asked["directory"] = true; return s.request.Directory }

// Collide is whether the hash of keys is to be one of few values.
func (s Setup) Collide() bool { s.asked["collide"] = true; return s.request.Collide }

// Format is the version of the program that opens the store.
func (s Setup) Format() *int { return s.request.Format }

// Tell is called with each entry that leaves; Events then needs no method.
func (s Setup) Tell() Listener { s.asked["events"] = true; return s.kit.tell }

// Writer stands behind the cache: nil is a removal. An error stops the write.
func (s Setup) Writer() func(key string, value []byte) error {
	s.asked["writer"] = true
	return s.kit.write
}

type object = map[string]any
type capacity struct {
	Amount int64  `json:"amount"`
	Unit   string `json:"unit"`
}
type openRequest struct {
	Directory string    `json:"directory"`
	Capacity  *capacity `json:"capacity"`
	Life      *int64    `json:"timeToLiveNanoseconds"`
	Idle      *int64    `json:"timeToIdleNanoseconds"`
	Stale     *int64    `json:"staleNanoseconds"`
	Refresh   *int64    `json:"refreshNanoseconds"`
	Now       int64     `json:"nowNanoseconds"`
	Format    *int      `json:"format"`
	Collide   bool      `json:"collide"`
}
type step struct {
	Operation string   `json:"operation"`
	Key       *string  `json:"key"`
	Value     *string  `json:"value"`
	Other     *string  `json:"other"`
	Keys      []string `json:"keys"`
	Amount    int64    `json:"amount"`
	Tag       string   `json:"tag"`
	Word      string   `json:"word"`
	Terms     Terms    `json:"terms"`
	Expected  struct {
		Value string `json:"value"`
	} `json:"expected"`
	Items     []step  `json:"items"`
	Origin    string  `json:"origin"`
	Meanwhile []step  `json:"meanwhile"`
	Group     *string `json:"group"`
}
type request struct {
	ID    int64 `json:"id"`
	Hello *struct {
		Versions []int `json:"versions"`
	} `json:"hello"`
	Instance int64        `json:"instance"`
	Face     int          `json:"face"`
	Open     *openRequest `json:"open"`
	Step     *step        `json:"step"`
}

var (
	tString, tBytes, tBool = reflect.TypeOf(""), reflect.TypeOf([]byte{}), reflect.TypeOf(true)
	tStrings, tMany        = reflect.TypeOf([]string{}), reflect.TypeOf([][]byte{})
	tInt, tTerms           = reflect.TypeOf(int64(0)), reflect.TypeOf(Terms{})
	tError                 = reflect.TypeOf((*error)(nil)).Elem()
	tChange                = reflect.TypeOf(func([]byte, bool) ([]byte, bool) { return nil, false })
	tOrigin                = reflect.TypeOf(func() ([]byte, error) { return nil, nil })
)

type types = []reflect.Type

// operations has the parameters and the results of each operation's method.
var operations = map[string][2]types{
	"put": {{tString, tBytes}}, "get": {{tString}, {tBytes, tBool}}, "contains": {{tString}, {tBool}}, "remove": {{tString}, {tBool}},
	"removeAll": {}, "flush": {}, "close": {}, "maintain": {}, "count": {nil, {tInt}}, "cost": {nil, {tInt}}, "keys": {nil, {tStrings}},
	"firstKeys": {{tInt}, {tStrings}}, "putIfAbsent": {{tString, tBytes}, {tBool}}, "replace": {{tString, tBytes}, {tBool}},
	"compareAndSet": {{tString, tBytes, tBytes}, {tBool}}, "exchange": {{tString, tBytes}, {tBytes, tBool}},
	"take": {{tString}, {tBytes, tBool}}, "getMany": {{tStrings}, {tMany}}, "removeMany": {{tStrings}, {tInt}}, "advance": {{tInt}},
	"sleep": {{tInt}}, "moveWallClock": {{tInt}}, "touch": {{tString, tInt}, {tBool}}, "remainingTime": {{tString}, {tInt, tBool}},
	"resize": {{tInt}}, "statistics": {nil, {reflect.TypeOf(map[string]int64{})}}, "removeTagged": {{tString}}, "mark": {{tString}, {tBool}},
	"setIfMarked": {{tString, tBytes}, {tBool}}, "removeIfMarked": {{tString}, {tBool}}, "update": {{tString, tChange}, {tBytes, tBool}},
	"increment": {{tString, tInt}, {tInt}}, "rename": {{tString, tString}, {tBool}}, "putMany": {{tStrings, tMany}, {reflect.TypeOf([]bool{})}},
	"pin": {{tString}, {tBool}}, "unpin": {{tString}, {tBool}}, "dropMemory": {}, "failLower": {{tBool}}, "diskUsage": {nil, {tInt}},
	"limitGroup": {{tString, tInt}}, "listen": {{reflect.TypeOf(Listener(nil))}}, "giveUp": {{tString}}, "load": {{tString, tOrigin}, {tBytes}},
}

// whole has what means the whole cache, by whatever face it comes.
var whole = map[string]bool{"advance": true, "sleep": true, "moveWallClock": true, "flush": true, "maintain": true, "close": true}

// byMethods has the features of which a cache with all these methods has one.
var byMethods = map[string]string{
	"putIfAbsent": "putIfAbsent", "replace": "replace exchange", "compareAndSet": "compareAndSet", "take": "take",
	"bulk": "getMany removeMany", "bulkPut": "putMany", "update": "update",
	"counter": "increment", "rename": "rename", "touch": "touch", "remainingTime": "remainingTime", "cost": "cost", "resize": "resize",
	"statistics": "statistics", "listener": "listen", "tags": "removeTagged", "versions": "mark setIfMarked removeIfMarked",
	"pin": "pin unpin", "loader": "load", "cancel": "load giveUp", "walks": "firstKeys", "diskUsage": "diskUsage",
	"tiers": "dropMemory failLower", "groupLimits": "limitGroup", "countsSleep": "sleep",
}

func methodName(operation string) string { return strings.ToUpper(operation[:1]) + operation[1:] }

func isWhole(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr }

func fits(has, wants reflect.Type) bool {
	return has == wants || wants == tInt && isWhole(has) || wants.Kind() == reflect.Func && wants.ConvertibleTo(has) ||
		wants.Kind() == reflect.Map && has.Kind() == reflect.Map && has.Key() == tString && isWhole(has.Elem())
}

// form looks whether a method has the form of its operation, with Terms and an error after the rest.
func form(method reflect.Type, wants [2]types) (takesTerms, fails, ok bool) {
	in, out := method.NumIn(), method.NumOut()
	takesTerms = in > 0 && method.In(in-1) == tTerms
	fails = out > 0 && method.Out(out-1) == tError
	if takesTerms {
		in--
	}
	if fails {
		out--
	}
	if in != len(wants[0]) || out != len(wants[1]) {
		return false, false, false
	}
	for i, t := range wants[0] {
		if !fits(method.In(i), t) {
			return false, false, false
		}
	}
	for i, t := range wants[1] {
		if !fits(method.Out(i), t) {
			return false, false, false
		}
	}
	return takesTerms, fails, true
}

// laid lays claims over what was derived.
func laid(over, under object) object {
	for name, value := range over {
		switch inner, isObject := value.(object); {
		case value == nil:
			delete(under, name)
		case name == "features" || name == "deviations":
			named := map[string]bool{}
			derived, _ := under[name].([]string)
			for _, word := range derived {
				named[word] = true
			}
			for _, word := range value.([]any) {
				named[fmt.Sprint(word)] = true
			}
			under[name] = sorted(named)
		case isObject && name != "capacity":
			old, _ := under[name].(object)
			if old == nil {
				old = object{}
			}
			under[name] = laid(inner, old)
		default:
			under[name] = value
		}
	}
	return under
}

// sorted lists what is named and not taken away by a minus.
func sorted(named map[string]bool) []string {
	words := []string{}
	for word, is := range named {
		if is && !strings.HasPrefix(word, "-") && !named["-"+word] {
			words = append(words, word)
		}
	}
	sort.Strings(words)
	return words
}

// derived are the claims that the methods of a type and what it asks of its Setup make.
func derived(t reflect.Type, asked map[string]bool, over string) object {
	features := map[string]bool{}
	has := func(name string) bool { _, ok := t.MethodByName(methodName(name)); return ok }
	for feature, names := range byMethods {
		features[feature] = true
		for _, name := range strings.Fields(names) {
			features[feature] = features[feature] && has(name)
		}
	}
	for _, name := range []string{"events", "writer", "timeToIdle", "staleServe", "refresh", "collide"} {
		features[name] = features[name] || asked[name]
	}
	if put, ok := t.MethodByName("Put"); ok && put.Type.In(put.Type.NumIn()-1) == tTerms {
		features["timeToLive"] = asked["clock"] || has("advance")
	}
	features["timeToLive"] = features["timeToLive"] || asked["oneTimeToLive"]
	claims := object{"features": sorted(features), "storage": object{
		"keyBytesMax": 65536, "allowsEmptyKey": true, "valueBytesMax": 1 << 24, "retains": true, "iterates": has("count") && has("keys"),
		"durability": "volatile", "isConcurrent": false}}
	units := []string{}
	for _, unit := range []string{"objects", "bytes"} {
		if asked[unit] {
			units = append(units, unit)
		}
	}
	if len(units) > 0 {
		claims["room"] = object{"capacity": object{"amount": 1 << 16, "unit": units[0]}, "isAdjustable": true, "units": units, "isStrict": true}
	}
	deviations := []string{}
	if asked["oneTimeToLive"] {
		deviations = append(deviations, "oneTimeToLive")
	}
	if !has("contains") { // the suite then looks by get
		deviations = append(deviations, "containsIsGet")
	}
	claims["deviations"] = deviations
	given := object{}
	if err := json.Unmarshal([]byte(over), &given); over != "" && err != nil {
		die("the claims are no JSON: " + err.Error())
	}
	claims = laid(given, claims)
	if has("face") && claims["faces"] == nil {
		die(`there are other faces, and the claims do not say how many in all: add "faces": 2`)
	}
	return claims
}

func die(words string) {
	fmt.Fprintln(os.Stderr, "assay_subject: "+words)
	os.Exit(64)
}

type event struct {
	Key   string  `json:"key"`
	Value *string `json:"value,omitempty"`
	Cause string  `json:"cause,omitempty"`
}

// limits are the claims that the kit itself keeps.
type limits struct {
	Storage struct {
		KeyBytesMax    int
		AllowsEmptyKey bool
		ValueBytesMax  int
		IsConcurrent   bool
	}
	Features []string
}

func (l *limits) claims(feature string) bool {
	for _, name := range l.Features {
		if name == feature {
			return true
		}
	}
	return false
}

// instance is an open cache with what the kit does for it.
type instance struct {
	cache    reflect.Value
	clock    Clock
	limits   *limits
	isClosed atomic.Bool
	lock     sync.Mutex
	events   []event
	writes   []event
	fails    bool
	failing  map[string]bool
}

func encoded(value []byte) *string { s := hex.EncodeToString(value); return &s }

func (i *instance) tell(key string, value []byte, cause string) {
	i.lock.Lock()
	defer i.lock.Unlock()
	i.events = append(i.events, event{hex.EncodeToString([]byte(key)), encoded(value), cause})
}

func (i *instance) write(key string, value []byte) error {
	i.lock.Lock()
	defer i.lock.Unlock()
	if i.fails || i.failing[key] {
		return Refused{"inputOutput", "the writer fails"}
	}
	written := event{Key: hex.EncodeToString([]byte(key))}
	if value != nil {
		written.Value = encoded(value)
	}
	i.writes = append(i.writes, written)
	return nil
}

func decoded(text string) []byte {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		die("a key or a value is not in hexadecimal")
	}
	return bytes
}

func names(keys []string) []string {
	made := make([]string, len(keys))
	for i, key := range keys {
		made[i] = string(decoded(key))
	}
	return made
}

// change is what an update makes of the old value.
func change(s *step) func([]byte, bool) ([]byte, bool) {
	return func(old []byte, isThere bool) ([]byte, bool) {
		if s.Value != nil {
			return decoded(*s.Value), true
		}
		number, err := strconv.ParseInt(string(old), 10, 64)
		if !isThere || err != nil {
			number = 0
		}
		if number < math.MaxInt64 {
			number++
		}
		return []byte(strconv.FormatInt(number, 10)), s.Word != "remove"
	}
}

func (i *instance) listener(s *step) Listener {
	if s.Word == "none" {
		return nil
	}
	return func(key string, value []byte, cause string) {
		if s.Word == "slow" {
			time.Sleep(time.Duration(s.Amount) * time.Millisecond)
		}
		i.tell(key, value, cause)
		for n := range s.Items {
			_, _ = i.perform(&s.Items[n], 0)
		}
		if s.Word == "fails" {
			panic(Refused{"inputOutput", "the listener fails"})
		}
	}
}

// limit refuses keys and values outside of what is claimed. A refused value ends the old one too.
func (i *instance) limit(s *step, face int) error {
	store := i.limits.Storage
	keys := append([]string{}, s.Keys...)
	for _, key := range []*string{s.Key, s.Other} {
		if key != nil {
			keys = append(keys, *key)
		}
	}
	for _, key := range keys {
		if len(key) > 2*store.KeyBytesMax || key == "" && !store.AllowsEmptyKey {
			return Refused{"keyRefused", "the claims allow no key of this length"}
		}
	}
	if s.Value != nil && len(*s.Value) > 2*store.ValueBytesMax {
		_, _ = i.perform(&step{Operation: "remove", Key: s.Key, Group: s.Group}, face)
		return Refused{"valueRefused", "the claims allow no value of this length"}
	}
	return nil
}

// instead does what the kit does in place of a cache's method.
func (i *instance) instead(s *step) (object, error) {
	done := object{"done": true}
	i.lock.Lock()
	defer i.lock.Unlock()
	switch {
	case s.Operation == "flush" || s.Operation == "maintain" || s.Operation == "close":
	case s.Operation == "advance" && i.limits.claims("clock"):
		now := i.clock.Now() + s.Amount
		if now < i.clock.Now() {
			now = math.MaxInt64
		}
		atomic.StoreInt64(&i.clock.now, now)
	case s.Operation == "events" && i.limits.claims("events"):
		told := append([]event{}, i.events...)
		i.events = nil
		return object{"events": told}, nil
	case !i.limits.claims("writer"):
		return nil, Refused{"unsupported", "'" + s.Operation + "' is not among what this cache does"}
	case s.Operation == "writes":
		written := append([]event{}, i.writes...)
		i.writes = nil
		return object{"writes": written}, nil
	case s.Operation == "failWrites":
		i.fails = s.Amount == 1
	case s.Operation == "failWritesOf":
		i.failing = map[string]bool{}
		for _, key := range names(s.Keys) {
			i.failing[key] = true
		}
	default:
		return nil, Refused{"unsupported", "'" + s.Operation + "' is not among what this cache does"}
	}
	return done, nil
}

// perform does one step by a face and says what came of it.
func (i *instance) perform(s *step, face int) (object, error) {
	if s.Operation == "pause" {
		time.Sleep(time.Duration(s.Amount) * time.Millisecond)
		return object{"done": true}, nil
	}
	if i.isClosed.Load() && s.Operation != "close" && s.Operation != "writes" {
		return nil, Refused{"closed", "the cache is closed"}
	}
	cache := i.cache
	if face != 0 {
		choose := cache.MethodByName("Face")
		if !choose.IsValid() {
			return nil, Refused{"unsupported", "this cache has no other face"}
		}
		if !whole[s.Operation] {
			cache = reflect.ValueOf(choose.Call([]reflect.Value{reflect.ValueOf(face)})[0].Interface())
		}
	}
	wants, isKnown := operations[s.Operation]
	method := reflect.Value{}
	if isKnown {
		method = cache.MethodByName(methodName(s.Operation))
	}
	if !method.IsValid() {
		result, err := i.instead(s)
		if s.Operation == "close" && err == nil {
			i.isClosed.Store(true)
		}
		return result, err
	}
	if err := i.limit(s, face); err != nil {
		return nil, err
	}
	takesTerms, fails, _ := form(method.Type(), wants)
	for feature, isAsked := range map[string]bool{
		"timeToLive": s.Terms.TTL != nil, "tags": len(s.Terms.Tags) > 0, "groups": s.Group != nil, "": s.Terms.Weight() != 1} {
		if isAsked && (!takesTerms || feature != "" && !i.limits.claims(feature)) {
			return nil, Refused{"unsupported", "'" + s.Operation + "' of this cache has no such term"}
		}
	}
	if s.Operation == "putMany" {
		return i.putMany(s, face, method)
	}
	calls := 0
	arguments := i.arguments(s, method.Type(), wants[0], &calls)
	if takesTerms {
		terms := s.Terms
		terms.Group = s.Group
		arguments = append(arguments, reflect.ValueOf(terms))
	}
	results := method.Call(arguments)
	if fails {
		if err, _ := results[len(results)-1].Interface().(error); err != nil {
			if s.Operation == "load" && errors.Is(err, ErrNothing) {
				return object{"loaded": "nothing", "calls": calls}, nil
			}
			if s.Operation == "load" && errors.Is(err, errOrigin) {
				return object{"loaded": "failed", "calls": calls}, nil
			}
			return nil, err
		}
	}
	if s.Operation == "close" {
		i.isClosed.Store(true)
	}
	return answer(s.Operation, wants[1], results, calls), nil
}

func (i *instance) arguments(s *step, method reflect.Type, wants types, calls *int) []reflect.Value {
	made := []reflect.Value{}
	texts := []string{}
	if s.Key != nil {
		texts = append(texts, string(decoded(*s.Key)))
	}
	if s.Other != nil {
		texts = append(texts, string(decoded(*s.Other)))
	}
	texts = append(texts, s.Tag)
	values := [][]byte{}
	if s.Operation == "compareAndSet" {
		values = append(values, decoded(s.Expected.Value))
	}
	if s.Value != nil {
		values = append(values, decoded(*s.Value))
	}
	for n, want := range wants {
		var one any
		switch want {
		case tString:
			one, texts = texts[0], texts[1:]
		case tBytes:
			one, values = values[0], values[1:]
		case tStrings:
			one = names(s.Keys)
		case tInt:
			one = reflect.ValueOf(s.Amount).Convert(method.In(n)).Interface()
		case tBool:
			one = s.Amount == 1
		case tChange:
			one = change(s)
		case tOrigin:
			one = i.origin(s, calls)
		default:
			one = i.listener(s)
		}
		made = append(made, reflect.ValueOf(one).Convert(method.In(n)))
	}
	return made
}

func (i *instance) origin(s *step, calls *int) func() ([]byte, error) {
	return func() ([]byte, error) {
		*calls++
		for n := range s.Meanwhile {
			_, _ = i.perform(&s.Meanwhile[n], 0)
		}
		switch s.Origin {
		case "failure":
			return nil, errOrigin
		case "nothing":
			return nil, ErrNothing
		}
		return decoded(*s.Value), nil
	}
}

func (i *instance) putMany(s *step, face int, method reflect.Value) (object, error) {
	flags, keys, values := make([]bool, len(s.Items)), []string{}, [][]byte{}
	places := []int{}
	for n := range s.Items {
		if i.limit(&s.Items[n], face) == nil {
			places = append(places, n)
			keys, values = append(keys, string(decoded(*s.Items[n].Key))), append(values, decoded(*s.Items[n].Value))
		}
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(keys), reflect.ValueOf(values)})
	if len(results) > 1 {
		if err, _ := results[1].Interface().(error); err != nil {
			return nil, err
		}
	}
	for n, stored := range results[0].Interface().([]bool) {
		flags[places[n]] = stored
	}
	return object{"flags": flags}, nil
}

func entry(value []byte) any { return object{"value": hex.EncodeToString(value)} }

// answer is what becomes of a method's results.
func answer(operation string, wants types, results []reflect.Value, calls int) object {
	if len(wants) == 0 {
		return object{"done": true}
	}
	switch wants[0] {
	case tBytes:
		value := results[0].Bytes()
		if operation == "load" {
			if value == nil {
				return object{"loaded": "nothing", "calls": calls}
			}
			return object{"loaded": "value", "calls": calls, "entry": entry(value)}
		}
		if !results[1].Bool() {
			return object{"entry": nil}
		}
		return object{"entry": entry(value)}
	case tBool:
		return object{"flag": results[0].Bool()}
	case tInt:
		number := results[0].Convert(tInt).Interface()
		if operation != "remainingTime" {
			return object{"number": number}
		}
		if !results[1].Bool() {
			number = nil
		}
		return object{"time": number}
	case tStrings:
		keys := make([]string, results[0].Len())
		for n, key := range results[0].Interface().([]string) {
			keys[n] = hex.EncodeToString([]byte(key))
		}
		return object{"keys": keys}
	case tMany:
		entries := make([]any, results[0].Len())
		for n, value := range results[0].Interface().([][]byte) {
			if value != nil {
				entries[n] = entry(value)
			}
		}
		return object{"entries": entries}
	}
	return object{"statistics": results[0].Interface()}
}

// Serve answers Assay's requests over caches that `open` makes until the pipe is closed, several at once if the claims say so.
func Serve[C any](name, claims string, open func(Setup) (C, error)) {
	debug.SetTraceback("single")
	t := reflect.TypeOf((*C)(nil)).Elem()
	for operation, wants := range operations {
		if method, ok := t.MethodByName(methodName(operation)); ok {
			in := types{}
			for n := 1; n < method.Type.NumIn(); n++ {
				in = append(in, method.Type.In(n))
			}
			out := types{}
			for n := 0; n < method.Type.NumOut(); n++ {
				out = append(out, method.Type.Out(n))
			}
			if _, _, fit := form(reflect.FuncOf(in, out, false), wants); !fit {
				die(fmt.Sprintf("the method %s of %v is not what '%s' needs: it takes %v and returns %v", method.Name, t, operation, wants[0], wants[1]))
			}
		}
	}
	asked := map[string]bool{}
	folder, err := os.MkdirTemp("", "assay-probe-")
	if err != nil {
		die(err.Error())
	}
	probe, err := open(Setup{&openRequest{Directory: folder}, &instance{limits: &limits{}}, asked})
	if err != nil {
		die("the cache cannot be opened: " + err.Error())
	}
	if closing, ok := any(probe).(interface{ Close() }); ok {
		closing.Close()
	}
	_ = os.RemoveAll(folder)
	made := derived(t, asked, claims)
	kept := &limits{}
	text, _ := json.Marshal(made)
	if err := json.Unmarshal(text, kept); err != nil {
		die("the claims are not of the right types: " + err.Error())
	}
	if asked["clock"] {
		kept.Features = append(kept.Features, "clock")
	}
	out, writing, table, instances := os.Stdout, sync.Mutex{}, sync.Mutex{}, map[int64]*instance{}
	os.Stdout = os.Stderr // what a library prints must not get between the frames
	write := func(id int64, result object) {
		result["id"] = id
		body, err := json.Marshal(result)
		if err != nil || len(body) > frameMax {
			body, _ = json.Marshal(object{"id": id, "error": object{"code": "inputOutput", "message": "the answer is no frame"}})
		}
		head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
		writing.Lock()
		defer writing.Unlock()
		_, _ = out.Write(append(head, body...))
	}
	result := func(r *request) (answer object, err error) {
		defer func() {
			if thrown := recover(); thrown != nil {
				refused, ok := thrown.(Refused)
				if !ok { // a panic ends the process: that is the check's result
					fmt.Fprintf(os.Stderr, "%s\npanic: %v\n", debug.Stack(), thrown)
					os.Exit(2)
				}
				err = refused
			}
		}()
		table.Lock()
		opened := instances[r.Instance]
		table.Unlock()
		switch {
		case r.Hello != nil:
			for _, version := range r.Hello.Versions {
				if version == 1 {
					return object{"hello": object{"version": 1, "name": name, "claims": made, "needsDirectory": asked["directory"]}}, nil
				}
			}
			return nil, Refused{"unsupported", "this adapter speaks version 1"}
		case r.Step != nil && opened != nil:
			return opened.perform(r.Step, r.Face)
		case r.Open != nil:
			opened = &instance{limits: kept, clock: Clock{r.Open.Now}}
			cache, err := open(Setup{r.Open, opened, map[string]bool{}})
			if err != nil {
				return nil, err
			}
			opened.cache = reflect.ValueOf(&cache).Elem()
			table.Lock()
			instances[r.Instance] = opened
			table.Unlock()
		default:
			table.Lock()
			delete(instances, r.Instance)
			table.Unlock()
		}
		return object{"done": true}, nil
	}
	reply := func(r *request) {
		made, err := result(r)
		refused := Refused{}
		switch {
		case errors.As(err, &refused):
			made = object{"error": object{"code": refused.Code, "message": refused.Message}}
		case err != nil:
			made = object{"error": object{"code": "inputOutput", "message": err.Error()}}
		}
		write(r.ID, made)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		head := [4]byte{}
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		length := binary.BigEndian.Uint32(head[:])
		if length > frameMax {
			die(fmt.Sprintf("a frame of %d bytes; the most is %d", length, frameMax))
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		r := &request{}
		if err := json.Unmarshal(body, r); err != nil {
			die(err.Error())
		}
		if kept.Storage.IsConcurrent {
			go reply(r)
		} else {
			reply(r)
		}
	}
}
