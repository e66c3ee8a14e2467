/* The stored weights of a segment, made of all its lists at once. */
#ifndef FINDINGAID_WEIGH_H
#define FINDINGAID_WEIGH_H

#include "segment.h"

/* Write the code of each pair of a segment. norms: FA_KINDS numbers for each version, by which its counts are
 * multiplied; codes: room for segment->pairs. FA_CORRUPT: see fault; what was written then means nothing. */
FA_EXPORT int fa_segment_codes(const fa_segment *segment, const double *norms, uint8_t *codes, fa_fault *fault);

#endif
