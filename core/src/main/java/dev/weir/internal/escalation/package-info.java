/**
 * Turns denials of rules with {@code escalate} into bans. Where bans are kept, and how nodes share them, may not come in.
 */
@NullMarked
package dev.weir.internal.escalation;

import org.jspecify.annotations.NullMarked;
