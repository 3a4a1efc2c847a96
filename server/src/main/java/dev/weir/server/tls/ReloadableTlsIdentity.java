package dev.weir.server.tls;

import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What a port shows of itself now. When its files change, connections that begin from then on see the new certificate; those
 * that are open stay as they are. A pair that cannot be used changes nothing.
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
     * @throws IOException naming the file and what is wrong with it
     */
    public static ReloadableTlsIdentity of(String port, Settings.Tls files) throws IOException {
        TlsIdentity first = TlsIdentity.read(files);
        if (first.notAfter().isBefore(Instant.now())) {
            LOG.log(Level.ERROR, "the certificate of the " + port + " port has run out: " + first);
        }
        return new ReloadableTlsIdentity(port, files, first);
    }

    /** Which port it is. */
    public String port() {
        return port;
    }

    public TlsIdentity current() {
        return current;
    }

    /** Tells {@code next} of every new one. */
    public void onChange(Consumer<TlsIdentity> next) {
        listener = next;
    }

    /** Reads the files again. */
    public void reload() {
        try {
            TlsIdentity next = TlsIdentity.read(files);
            if (next.notAfter().isBefore(Instant.now())) {
                throw new IOException(files.certificate() + " has run out at " + next.notAfter());
            }
            listener.accept(next);
            current = next;
            taken.increment();
            LOG.log(Level.INFO, "the " + port + " port has a new certificate: " + next);
        } catch (IOException | RuntimeException e) {
            refused.increment();
            LOG.log(
                    Level.ERROR,
                    "the new certificate of the " + port + " port cannot be used, the one of before stays (" + current
                            + "): " + e.getMessage());
        }
    }

    /** Until the certificate runs out; negative after that. */
    public Duration left() {
        return Duration.between(Instant.now(), current.notAfter());
    }

    /** How often new files were taken. */
    public long taken() {
        return taken.sum();
    }

    /** How often new files could not be used. */
    public long refused() {
        return refused.sum();
    }
}
