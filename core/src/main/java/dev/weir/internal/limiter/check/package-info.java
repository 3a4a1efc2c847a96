/**
 * Turns matches into checks and checks into verdicts, with the settings, observers and meters that this takes. Stores
 * are not asked here; pooling, deadlines and retries may not come in.
 */
@NullMarked
package dev.weir.internal.limiter.check;

import org.jspecify.annotations.NullMarked;
