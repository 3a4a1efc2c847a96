/** Test files: policy tests read from YAML, with the position of every mistake. Nothing runs here. */
@NullMarked
package dev.weir.testing.internal.policy;

import org.jspecify.annotations.NullMarked;
