/**
 * Reads the overrides of a quota, wherever people write one. Where quotas are kept, and when they hold, may not come in.
 */
@NullMarked
package dev.weir.rules.internal.quota;

import org.jspecify.annotations.NullMarked;
