// The interface of plug-ins that Assay loads at run time: eviction policies and storage backends. Version 1.
//
// A plug-in is a shared library that defines assay_plugin_entry. Assay copies what it needs of the descriptions and keeps the
// functions; the library stays loaded until the process ends.
//
// - Strings end with a zero byte and are UTF-8. Descriptions are valid for ever; what a call gets is valid during the call.
// - Structures that are passed by pointer may grow at their end within a version; those in arrays do not. Every description
//   begins with the size that its plug-in was compiled with.
// - No function may throw, longjmp or unwind out of a plug-in.
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface. Assay refuses a plug-in of another.
#define ASSAY_PLUGIN_VERSION 1u

// What most functions return: a negative code for a failure, otherwise ASSAY_NO or ASSAY_YES. Functions that answer no question
// return ASSAY_OK.
typedef int32_t assay_status;
#define ASSAY_OK 0
#define ASSAY_NO 0
#define ASSAY_YES 1
// Any failure that has no code of its own.
#define ASSAY_FAILED (-1)
// Parameters do not go together or with the capacity.
#define ASSAY_USAGE (-2)
// No memory is left.
#define ASSAY_NO_MEMORY (-3)
// Reading or writing failed.
#define ASSAY_INPUT_OUTPUT (-4)
// No space is left where the store lives.
#define ASSAY_FULL (-5)
// What was read is not what was written.
#define ASSAY_CORRUPT (-6)
// The store's place, or something else that is needed, cannot be used.
#define ASSAY_UNAVAILABLE (-7)
// The plug-in cannot do this, and its claims do not say that it can.
#define ASSAY_UNSUPPORTED (-8)

// Why a call failed, in words: a plug-in that returns a negative code may write one line here. It is empty until then.
#define ASSAY_MESSAGE_BYTES 256
typedef struct assay_error {
    char message[ASSAY_MESSAGE_BYTES];
} assay_error;

// What values a parameter takes.
#define ASSAY_INTEGER 1u
#define ASSAY_NUMBER 2u
#define ASSAY_CHOICE 3u
#define ASSAY_TEXT 4u
#define ASSAY_FLAG 5u

// A parameter of a policy or backend, as in `mine:size=3`.
typedef struct assay_parameter {
    // Lower-case letters and digits, with - . _ + after the first.
    const char *name;
    // One sentence that says what it does.
    const char *summary;
    // The default, as a user would write it. Not used for ASSAY_FLAG, which is off.
    const char *initial;
    // The words of ASSAY_CHOICE, separated by commas; NULL for the others.
    const char *choices;
    // The range of ASSAY_INTEGER and ASSAY_NUMBER, from -2^53 to 2^53.
    double least, most;
    uint32_t kind;
    uint32_t reserved;
} assay_parameter;

// The value of a parameter.
typedef struct assay_value {
    // As it was written, or the default.
    const char *text;
    // Of ASSAY_INTEGER; 1 or 0 of ASSAY_FLAG; the place of the word, from 0, of ASSAY_CHOICE.
    int64_t integer;
    // Of ASSAY_INTEGER and ASSAY_NUMBER.
    double number;
} assay_value;

// ---- Policies

#define ASSAY_OBJECTS 1u
#define ASSAY_BYTES 2u

// What a cache is made from.
typedef struct assay_policy_config {
    uint32_t struct_size;
    // Whether objects weigh 1 (ASSAY_OBJECTS) or their sizes (ASSAY_BYTES).
    uint32_t unit;
    // The most that residents may weigh together.
    uint64_t capacity;
    // Ids are below this number, so that arrays can stand for hash tables.
    uint64_t object_count;
    // The most objects that fit together.
    uint64_t resident_limit;
    // For everything random.
    uint64_t seed;
    // The values of all parameters, in the order of their descriptions.
    const assay_value *values;
    uint64_t value_count;
} assay_policy_config;

// A request for an object.
typedef struct assay_request {
    // What the object weighs: 1 or its size. At a hit the weight at which it was admitted holds, whatever this is.
    uint64_t weight;
    // Its size in bytes; 1 where the trace has no sizes.
    uint64_t size;
    // The position of the request, from 0: a logical clock.
    uint64_t index;
    // What a miss costs, in the trace's unit; 1 where it says nothing.
    double cost;
    // When the request was made, and how long the object is valid from then on, in nanoseconds; 0 where the trace says nothing.
    int64_t time_nanoseconds;
    int64_t time_to_live_nanoseconds;
    uint32_t id;
    // Ids that are asked for about 48 and about 24 requests later, to fetch memory for; any ids where that is not known.
    uint32_t upcoming;
    uint32_t approaching;
    uint32_t reserved;
} assay_request;

// Requests in a row of a trace, from 1 to 64.
#define ASSAY_BLOCK_LIMIT 64
typedef struct assay_block {
    const uint32_t *ids;
    uint32_t count;
    // For a position in the block, ids[position + ahead] and ids[position + 2 * ahead] may be read too, to fetch memory for
    // them.
    uint32_t ahead;
} assay_block;

// What a policy tells while it makes room.
typedef struct assay_sink {
    void *context;
    // A resident object left to make room.
    void (*evicted)(void *context, uint32_t id);
    // Only for ASSAY_KEEPS_GHOSTS: nothing is kept of an object any more, which is not resident, so that its id may become
    // another object's. To be told once of each object that was offered: after evicted, of a dropped ghost, of a refused
    // newcomer.
    void (*forgotten)(void *context, uint32_t id);
} assay_sink;

// What a policy takes in bytes. Assay adds what it takes itself to check the policy.
typedef struct assay_memory {
    double per_object, per_resident, per_ghost;
    // In the place of per_object where capacities count bytes; 0 for the same.
    double per_object_in_bytes;
    // How many ghosts there is room for, for each object that may be resident.
    double ghosts;
} assay_memory;

// Results depend on the seed.
#define ASSAY_RANDOM 1u
// The policy remembers objects that are not resident. One that does not never calls forgotten: Assay does that for it.
#define ASSAY_KEEPS_GHOSTS 2u

// An eviction policy. Assay knows what is resident: what was admitted and did not leave.
//
// Different caches may be used at the same time by different threads; each by one thread at a time.
typedef struct assay_policy {
    uint32_t struct_size;
    uint32_t flags;
    // Lower-case letters and digits, with - . _ + after the first; no other policy's.
    const char *name;
    // One of the families of `assay list policies`, such as recency, frequency, segmented, adaptive, size-aware, random.
    const char *family;
    // One sentence that says how it chooses.
    const char *summary;
    // Where it was published; may be NULL.
    const char *citation;
    // Why it has no meaning in bytes, as a sentence; NULL if it weighs objects too.
    const char *objects_only;
    // NULL if it does not say.
    const assay_memory *memory;
    const assay_parameter *parameters;
    uint64_t parameter_count;

    // Makes an empty cache.
    assay_status (*create)(const assay_policy_config *config, void **cache, assay_error *error);
    // Ends a cache.
    void (*destroy)(void *cache);
    // A resident object is asked for. NULL if that changes nothing.
    assay_status (*hit)(void *cache, const assay_request *request, assay_error *error);
    // An object is asked for that is not resident and weighs no more than the capacity. Tells the sink who leaves, and returns
    // whether the object is admitted; the residents then weigh no more than the capacity.
    assay_status (*miss)(void *cache, const assay_request *request, const assay_sink *sink, assay_error *error);
    // A resident or a ghost is to be forgotten wholly.
    assay_status (*remove)(void *cache, uint32_t id, assay_error *error);
    // The object that would leave first to make room for a missed one; ASSAY_NO if none can be named. May move a hand or draw
    // random numbers as the eviction would, and changes nothing that is resident. NULL if the policy cannot tell.
    assay_status (*next_victim)(void *cache, const assay_request *request, uint32_t *victim, assay_error *error);
    // Serves a block where the cache is full of objects that weigh 1, so that each miss exchanges one object for another.
    // Writes for each request who left: the victim at a miss, the object itself at a hit. Replays call it in the place of hit
    // and miss, and never with ASSAY_KEEPS_GHOSTS; a policy that needs no branch for it is several times faster. NULL if there
    // is none.
    assay_status (*exchange)(void *cache, const assay_block *block, uint32_t *left, assay_error *error);
} assay_policy;

// ---- Backends

typedef struct assay_bytes {
    const uint8_t *start;
    uint64_t count;
} assay_bytes;

// A value with its expiry, which a backend only keeps.
typedef struct assay_entry {
    assay_bytes value;
    // In nanoseconds since 1970 UTC, if `expires` is 1.
    int64_t expires_at_nanoseconds;
    uint32_t expires;
    uint32_t reserved;
} assay_entry;

// Promises of a store; what is not claimed is not checked.
// The empty key can be used.
#define ASSAY_ALLOWS_EMPTY_KEY 1u
// Everything put stays until it is removed.
#define ASSAY_RETAINS 2u
// count and keys are exact when nothing else runs.
#define ASSAY_ITERATES 4u
// Calls may come from several threads at once; without it they come one at a time.
#define ASSAY_CONCURRENT 8u
// The bytes of old versions and removed entries are given back, at the next opening at the latest.
#define ASSAY_COMPACTS 16u
// Damage to the files of a closed store is noticed.
#define ASSAY_DETECTS_DAMAGE 32u
// A put that failed is undone for good.
#define ASSAY_UNDOES_FAILED_PUTS 64u

// What survives: nothing, an orderly exit, SIGKILL, a power cut.
#define ASSAY_VOLATILE 0u
#define ASSAY_SURVIVES_EXIT 1u
#define ASSAY_SURVIVES_KILL 2u
#define ASSAY_SURVIVES_POWER_CUT 3u

typedef struct assay_claims {
    uint32_t flags;
    uint32_t durability;
    // Assay refuses longer keys and values itself.
    uint64_t key_bytes_max;
    uint64_t value_bytes_max;
} assay_claims;

typedef struct assay_backend_config {
    uint32_t struct_size;
    uint32_t reserved;
    // A directory that belongs to this store alone and exists; NULL without ASSAY_NEEDS_DIRECTORY.
    const char *directory;
    const assay_value *values;
    uint64_t value_count;
} assay_backend_config;

// Entries are in the directory.
#define ASSAY_NEEDS_DIRECTORY 1u

// A storage backend: exact bytes under exact byte keys.
typedef struct assay_backend {
    uint32_t struct_size;
    uint32_t flags;
    // Lower-case letters and digits, with - . _ + after the first; no other backend's.
    const char *name;
    // One sentence that says where the bytes are.
    const char *summary;
    // The library, format or system it stands on; may be NULL.
    const char *citation;
    const assay_parameter *parameters;
    uint64_t parameter_count;

    // Opens a store, empty or as it was left in its directory. The claims come as those of an exact map in memory for one
    // thread, and are changed to what the store promises.
    assay_status (*open)(const assay_backend_config *config, void **store, assay_claims *claims, assay_error *error);
    // Calls found with the entry under a key, and returns whether there is one.
    assay_status (*get)(
        void *store, assay_bytes key, void *context, void (*found)(void *context, const assay_entry *entry),
        assay_error *error);
    // Stores an entry, replacing what was under the key. A put that fails leaves the old value or none.
    assay_status (*put)(void *store, assay_bytes key, const assay_entry *entry, assay_error *error);
    // Removes the entry under a key, and returns whether there was one.
    assay_status (*remove)(void *store, assay_bytes key, assay_error *error);
    // Removes every entry.
    assay_status (*remove_all)(void *store, assay_error *error);
    // The number of entries.
    assay_status (*count)(void *store, uint64_t *count, assay_error *error);
    // Calls found with every key once, in any order.
    assay_status (*keys)(
        void *store, void *context, void (*found)(void *context, assay_bytes key), assay_error *error);
    // Makes everything that was put durable as claimed. NULL if there is nothing to do.
    assay_status (*flush)(void *store, assay_error *error);
    // Releases everything, also where it fails. Called once, after all other calls have returned.
    assay_status (*close)(void *store, assay_error *error);
} assay_backend;

// ---- The library

typedef struct assay_plugin {
    // ASSAY_PLUGIN_VERSION.
    uint32_t version;
    uint32_t struct_size;
    const assay_policy *const *policies;
    uint64_t policy_count;
    const assay_backend *const *backends;
    uint64_t backend_count;
} assay_plugin;

// What the library has: the same at each call. Called when it is loaded.
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const assay_plugin *
assay_plugin_entry(void);

#ifdef __cplusplus
}
#endif

#endif
