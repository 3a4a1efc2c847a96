/**
 * A rule as the engine holds it, and the buffers that a decision and its verdicts are written into. Only data and its
 * validation live here; nothing that matches, counts or decides may come in.
 */
@NullMarked
package dev.weir.internal.model;

import org.jspecify.annotations.NullMarked;
