// Libraries that are no sound plug-ins: which one is said by WRONG.
#include "assay_plugin.h"

#include <stddef.h>

static assay_status create(const assay_policy_config *config, void **cache, assay_error *error) { return ASSAY_OK; }
static void destroy(void *cache) {}
static assay_status miss(void *cache, const assay_request *request, const assay_sink *sink, assay_error *error) {
    return ASSAY_NO;
}
static assay_status remove_object(void *cache, uint32_t id, assay_error *error) { return ASSAY_OK; }

enum { SOUND, VERSION, SHORT_PLUGIN, NOTHING, EMPTY, SHORT_POLICY, NO_NAME, BAD_NAME, LONG_NAME, NO_FAMILY, BOUND, NO_SUMMARY,
    NO_MISS, FLAGS, MEMORY, MANY_PARAMETERS, TWO_PARAMETERS, BAD_DEFAULT, BAD_RANGE, BAD_CHOICE, BAD_KIND, MISSING_POLICY,
    MANY_POLICIES, NOT_UTF8, TWO_NAMES };

static assay_parameter parameters[2] = {
    {.name = "size", .summary = "A size.", .initial = "3", .least = 1, .most = 9, .kind = ASSAY_INTEGER},
    {.name = "share", .summary = "A share.", .initial = "0.5", .least = 0, .most = 1, .kind = ASSAY_NUMBER},
};

static assay_memory memory = {.per_object = 4};

static assay_policy policy = {
    .struct_size = sizeof policy, .name = "sound-1", .family = "recency", .summary = "Admits nothing.",
    .memory = &memory, .parameters = parameters, .parameter_count = 2, .create = create, .destroy = destroy,
    .miss = miss, .remove = remove_object};

static const assay_policy *policies[2] = {&policy, &policy};

static assay_plugin plugin = {
    .version = ASSAY_PLUGIN_VERSION, .struct_size = sizeof plugin, .policies = policies, .policy_count = 1};

#ifdef NO_ENTRY
const assay_plugin *assay_other_function(void) { return &plugin; }
#else
const assay_plugin *assay_plugin_entry(void) {
    static char name[4000];
    for (size_t index = 0; index < sizeof name; index++) name[index] = 'x';
    switch (WRONG) {
        case VERSION: plugin.version = 2; break;
        case SHORT_PLUGIN: plugin.struct_size = 8; break;
        case NOTHING: return NULL;
        case EMPTY: plugin.policy_count = 0; break;
        case SHORT_POLICY: policy.struct_size = 8; break;
        case NO_NAME: policy.name = NULL; break;
        case BAD_NAME: policy.name = "My Policy"; break;
        case LONG_NAME: policy.name = name; break;
        case NO_FAMILY: policy.family = "mine"; break;
        case BOUND: policy.family = "bound"; break;
        case NO_SUMMARY: policy.summary = NULL; break;
        case NO_MISS: policy.miss = NULL; break;
        case FLAGS: policy.flags = 1u << 31; break;
        case MEMORY: memory.ghosts = -1; break;
        case MANY_PARAMETERS: policy.parameter_count = 1000; break;
        case TWO_PARAMETERS: parameters[1].name = "size"; break;
        case BAD_DEFAULT: parameters[0].initial = "12"; break;
        case BAD_RANGE: parameters[1].most = 0.0 / 0.0; break;
        case BAD_CHOICE: parameters[0].kind = ASSAY_CHOICE; break;
        case BAD_KIND: parameters[0].kind = 77; break;
        case MISSING_POLICY: plugin.policies = NULL; break;
        case MANY_POLICIES: plugin.policy_count = 1u << 31; break;
        case NOT_UTF8: policy.summary = "\xff\xfe"; break;
        case TWO_NAMES: plugin.policy_count = 2; break;
        default: break;
    }
    return &plugin;
}
#endif
