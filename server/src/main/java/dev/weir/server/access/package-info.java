/**
 * Authenticates callers of the admin port by token or loopback address, and holds the table of roles and permissions.
 * The actions that a permission allows do not belong here.
 */
@NullMarked
package dev.weir.server.access;

import org.jspecify.annotations.NullMarked;
