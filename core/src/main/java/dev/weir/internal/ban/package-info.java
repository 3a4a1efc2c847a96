/**
 * Finds the entry that bans or exempts a request: immutable tables of values and address ranges, swapped whole. Where
 * entries come from, and how nodes share them, may not come in.
 */
@NullMarked
package dev.weir.internal.ban;

import org.jspecify.annotations.NullMarked;
