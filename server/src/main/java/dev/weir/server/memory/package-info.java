/**
 * Charges the memory that peers make this process hold, and closes the costliest connections when a budget is exceeded.
 * Protocols do not come in: a port says how much a connection holds, and how to close it.
 */
@NullMarked
package dev.weir.server.memory;

import org.jspecify.annotations.NullMarked;
