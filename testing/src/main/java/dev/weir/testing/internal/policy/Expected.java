package dev.weir.testing.internal.policy;

import dev.weir.text.diagnostics.Position;

/** A value that a test expects, and where the file says so. */
public record Expected<T>(Position at, T value) {}
