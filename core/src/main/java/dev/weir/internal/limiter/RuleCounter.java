package dev.weir.internal.limiter;

import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import org.jspecify.annotations.Nullable;

/**
 * A counter of a request.
 *
 * @param rule the rule, or null if the request carried its own limit
 * @param check its meter, keys and hits; for a shared store also its name and the store's index
 */
public record RuleCounter(@Nullable Rule rule, Check check) {}
