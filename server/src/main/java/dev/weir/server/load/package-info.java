/**
 * Limits that follow load: collects how loaded services are, computes which share of each limit is in force, and puts
 * the rules in force anew when a share changes. Decisions do not come in; they see the limits that result.
 */
@NullMarked
package dev.weir.server.load;

import org.jspecify.annotations.NullMarked;
