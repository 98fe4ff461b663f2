// Header only: a C target needs one source file.
#include "CIntrinsics.h"
