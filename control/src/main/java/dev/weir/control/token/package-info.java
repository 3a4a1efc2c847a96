/**
 * Admin tokens: creating, rotating and revoking them, their rows, and the cache in which a presented token is looked
 * up. HTTP does not come in, and no secret is stored in a form that can be read back.
 */
@NullMarked
package dev.weir.control.token;

import org.jspecify.annotations.NullMarked;
