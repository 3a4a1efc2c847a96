package dev.weir.internal.limiter;

import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import org.jspecify.annotations.Nullable;

/**
 * A counter that a request is counted in.
 *
 * @param rule the rule, or null where the request brought its own limit
 * @param check its meter, keys and hits; its name and the place of its store, if that is a shared one
 */
public record RuleCounter(@Nullable Rule rule, Check check) {}
