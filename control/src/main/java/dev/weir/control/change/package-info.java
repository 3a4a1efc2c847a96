/**
 * Changes to the database and how every node follows them: preconditions, one transaction per change with its audit
 * line, notification and polling. The meaning of a rule, quota, token or switch does not come in; each room implements
 * {@code FollowedKind} and its own edits.
 */
@NullMarked
package dev.weir.control.change;

import org.jspecify.annotations.NullMarked;
