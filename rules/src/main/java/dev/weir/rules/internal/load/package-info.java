/**
 * Finds and reads the rule files of paths, notices their changes, and merges parsed files into domains. The meaning of
 * a field does not come in: that is the grammar's.
 */
@NullMarked
package dev.weir.rules.internal.load;

import org.jspecify.annotations.NullMarked;
