package dev.weir.spring.internal.boot;

import org.jspecify.annotations.Nullable;

/** A mistake for which the application does not start: what is wrong, and how to cure it. */
public final class WeirStartFailure extends RuntimeException {
    private final String cure;

    public WeirStartFailure(String wrong, String cure) {
        this(wrong, cure, null);
    }

    public WeirStartFailure(String wrong, String cure, @Nullable Throwable cause) {
        super(wrong, cause);
        this.cure = cure;
    }

    /** The cure, as a sentence. */
    public String cure() {
        return cure;
    }

    /** The address of a store, as people may see it. */
    public static String withoutPassword(String uri) {
        return uri.replaceAll("//[^/@]*@", "//");
    }

    /** The message of {@code failure}, which libraries always give. */
    public static String messageOf(Throwable failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
