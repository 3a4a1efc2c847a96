package dev.weir.server.tls;

import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The current TLS identity of a port. When its files change, new connections get the new certificate and open ones keep
 * theirs. A certificate that cannot be used changes nothing.
 */
public final class ReloadableTlsIdentity {
    private static final System.Logger LOG = System.getLogger(ReloadableTlsIdentity.class.getName());

    private final String port;
    private final Settings.Tls files;
    private volatile TlsIdentity current;
    private volatile Consumer<TlsIdentity> listener = identity -> {};
    private final LongAdder taken = new LongAdder();
    private final LongAdder refused = new LongAdder();

    private ReloadableTlsIdentity(String port, Settings.Tls files, TlsIdentity first) {
        this.port = port;
        this.files = files;
        this.current = first;
    }

    /**
     * Reads the files of {@code port} for the first time.
     *
     * @throws IOException naming the file and the error in it
     */
    public static ReloadableTlsIdentity of(String port, Settings.Tls files) throws IOException {
        TlsIdentity first = TlsIdentity.read(files);
        if (first.notAfter().isBefore(Instant.now())) {
            LOG.log(Level.ERROR, "the certificate of the " + port + " port has expired: " + first);
        }
        return new ReloadableTlsIdentity(port, files, first);
    }

    /** The name of the port. */
    public String port() {
        return port;
    }

    public TlsIdentity current() {
        return current;
    }

    /** Calls {@code next} with every new identity. */
    public void onChange(Consumer<TlsIdentity> next) {
        listener = next;
    }

    /** Reads the files again. */
    public void reload() {
        try {
            TlsIdentity next = TlsIdentity.read(files);
            if (next.notAfter().isBefore(Instant.now())) {
                throw new IOException(files.certificate() + " expired at " + next.notAfter());
            }
            listener.accept(next);
            current = next;
            taken.increment();
            LOG.log(Level.INFO, "reloaded the certificate of the " + port + " port: " + next);
        } catch (IOException | RuntimeException e) {
            refused.increment();
            LOG.log(
                    Level.ERROR,
                    "cannot use the new certificate of the " + port + " port; the previous one stays (" + current
                            + "): " + e.getMessage());
        }
    }

    /** The time until the certificate expires; negative after that. */
    public Duration left() {
        return Duration.between(Instant.now(), current.notAfter());
    }

    /** The number of successful reloads. */
    public long taken() {
        return taken.sum();
    }

    /** The number of failed reloads. */
    public long refused() {
        return refused.sum();
    }
}
