#include "assay_plugin.h"

// Version 1 is what plug-ins were compiled with. A change of these sizes is a new version, or a growth at the end that the
// loader tells by struct_size.
_Static_assert(sizeof(void *) != 8 || sizeof(assay_parameter) == 56, "a parameter has 56 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_value) == 24, "a value has 24 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_policy_config) == 56, "a policy's configuration has 56 bytes");
_Static_assert(sizeof(assay_request) == 64, "a request has 64 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_block) == 16, "a block has 16 bytes");
_Static_assert(sizeof(assay_memory) == 40, "memory has 40 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_policy) == 128, "a policy has 128 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_entry) == 32, "an entry has 32 bytes");
_Static_assert(sizeof(assay_claims) == 24, "claims have 24 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_backend) == 120, "a backend has 120 bytes");
_Static_assert(sizeof(void *) != 8 || sizeof(assay_plugin) == 40, "a plug-in has 40 bytes");
