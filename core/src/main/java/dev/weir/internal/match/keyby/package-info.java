/**
 * Computes which counter a rule charges for a request: the counter key, the counter name, and the label that people
 * read. It takes names and values; how a request was matched may not come in.
 */
@NullMarked
package dev.weir.internal.match.keyby;

import org.jspecify.annotations.NullMarked;
