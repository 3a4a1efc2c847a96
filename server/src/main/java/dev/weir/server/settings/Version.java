package dev.weir.server.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The version of this build.
 *
 * @param commit the commit that it was built from; empty if the build did not know
 */
public record Version(String number, String commit) {
    private static final Version CURRENT = load();

    public static Version current() {
        return CURRENT;
    }

    /** The version of the Java runtime. */
    public static String java() {
        return System.getProperty("java.runtime.version", "?");
    }

    private static Version load() {
        Properties built = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("/dev/weir/server/version.properties")) {
            if (in != null) {
                built.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Version(built.getProperty("version", "?"), built.getProperty("commit", ""));
    }

    @Override
    public String toString() {
        return commit.isEmpty() ? number : number + " (" + commit + ")";
    }
}
