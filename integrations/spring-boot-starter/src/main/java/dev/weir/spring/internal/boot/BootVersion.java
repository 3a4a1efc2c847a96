package dev.weir.spring.internal.boot;

/** Refuses versions of Spring Boot with which Weir was never tried: they might limit nothing, without a word. */
final class BootVersion {
    private BootVersion() {}

    static void check(String version) {
        String[] parts = version.split("\\.", 3);
        int major = number(parts[0]);
        int minor = parts.length < 2 ? 0 : number(parts[1]);
        if (major != 4 && !(major == 3 && minor >= 5)) {
            throw new WeirStartFailure(
                    "weir-spring-boot-starter does not know Spring Boot " + version + " (expected: 3.5 to 4.x).",
                    "Use a version of weir-spring-boot-starter that knows it, or set weir.enabled to false.");
        }
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
