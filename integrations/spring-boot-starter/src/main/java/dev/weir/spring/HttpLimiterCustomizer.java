package dev.weir.spring;

import dev.weir.http.HttpLimiter;

/** A bean that changes how HTTP calls become requests, such as by attributes that the application computes. */
@FunctionalInterface
public interface HttpLimiterCustomizer {

    /** Changes {@code builder}, on which the properties are set already. */
    void customize(HttpLimiter.Builder builder);
}
