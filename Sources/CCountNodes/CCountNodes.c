// Header only: a C target needs one source file.
#include "CCountNodes.h"
