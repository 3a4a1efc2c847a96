/**
 * Authenticates callers of the admin port by token or loopback address, and holds the table of roles and permissions.
 * What is done with a permission does not come in.
 */
@NullMarked
package dev.weir.server.access;

import org.jspecify.annotations.NullMarked;
