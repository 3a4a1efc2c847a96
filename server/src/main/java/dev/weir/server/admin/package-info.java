/**
 * The admin port: its JSON API for rules, quotas, counters, switches, tokens and audit. Nothing here is for callers of
 * the data plane, and no GET changes anything.
 */
@NullMarked
package dev.weir.server.admin;

import org.jspecify.annotations.NullMarked;
