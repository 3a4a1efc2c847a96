package dev.weir.spring.internal.gateway;

import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.spring.HttpLimiterCustomizer;
import dev.weir.spring.internal.boot.WeirProperties;
import dev.weir.spring.internal.boot.WeirStartFailure;
import dev.weir.spring.internal.web.HttpLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the limiters of routes, from the arguments of the filter {@code Weir=DOMAIN,ATTRIBUTE}. */
final class RouteLimiters {
    private final Weir weir;
    private final WeirProperties properties;
    private final List<HttpLimiterCustomizer> customizers;

    RouteLimiters(Weir weir, WeirProperties properties, List<HttpLimiterCustomizer> customizers) {
        this.weir = weir;
        this.properties = properties;
        this.customizers = List.copyOf(customizers);
    }

    /** The limiter of a domain; by default that of the application. */
    HttpLimiter limiter(@Nullable String domain) {
        try {
            HttpLimiter.Builder builder = HttpLimits.configured(weir, properties.getHttp(), customizers);
            String name = domain == null ? properties.getDomain() : domain;
            if (name != null) {
                builder.domain(name);
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new WeirStartFailure(
                    "filter Weir: " + WeirStartFailure.messageOf(e),
                    "Write the filter as Weir=DOMAIN or Weir=DOMAIN,ATTRIBUTE.",
                    e);
        }
    }

    /** The header that {@code attribute}, without which no call passes, is read from; null if none is named. */
    @Nullable
    String header(@Nullable String attribute) {
        if (attribute == null) {
            return null;
        }
        String header = attribute.equals("api_key")
                ? "X-API-Key"
                : properties.getHttp().getAttributes().get(attribute);
        if (header == null) {
            throw new WeirStartFailure(
                    "filter Weir: no header is known for the attribute " + attribute + ".",
                    "Set weir.http.attributes." + attribute + " to the header that it is read from.");
        }
        return header;
    }

    /** Whether a value of that header says nothing: rules take an empty attribute for a missing one, and may skip it. */
    static boolean isMissing(@Nullable String value) {
        return value == null || value.isBlank();
    }
}
