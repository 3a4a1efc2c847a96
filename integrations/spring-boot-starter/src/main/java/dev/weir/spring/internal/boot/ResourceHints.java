package dev.weir.spring.internal.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Tells a native image of the files that Weir reads from the class path: rules, and the script of the Redis store. */
final class ResourceHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("weir-rules.yaml").registerPattern("dev/weir/redis/internal/script/*.lua");
    }
}
