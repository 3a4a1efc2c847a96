/**
 * All rules of a process as one immutable snapshot: building it, layering it, applying operator switches, matching a
 * request against it. Nothing here counts, and nothing here reads a file.
 */
@NullMarked
package dev.weir.internal.ruleset;

import org.jspecify.annotations.NullMarked;
