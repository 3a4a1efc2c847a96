package dev.weir.spring.internal.boot;

import java.util.Map;

/** Turns the library's message about an option into one about the property that sets it. */
final class MistakenProperty {
    private static final Map<String, String> PROPERTIES = Map.of(
            "maxKeys", "weir.max-keys",
            "deadline", "weir.deadline",
            "warmUp", "weir.warm-up",
            "tls", "weir.tls",
            "trust", "weir.tls.trust",
            "clientCertificate", "weir.tls.certificate");

    private MistakenProperty() {}

    /** Whether {@code mistake} names the option of a property. */
    static boolean isNamed(IllegalArgumentException mistake) {
        return PROPERTIES.containsKey(option(WeirStartFailure.messageOf(mistake)));
    }

    /** The failure; without the name of an option it is about the store. */
    static WeirStartFailure of(IllegalArgumentException mistake) {
        String message = WeirStartFailure.messageOf(mistake);
        String option = option(message);
        String property = PROPERTIES.get(option);
        return new WeirStartFailure(
                property == null ? "weir.store: " + message : property + message.substring(option.length()),
                "Correct the value of the property.",
                mistake);
    }

    /** The text before the first colon; empty without one. */
    private static String option(String message) {
        return message.substring(0, Math.max(0, message.indexOf(": ")));
    }
}
