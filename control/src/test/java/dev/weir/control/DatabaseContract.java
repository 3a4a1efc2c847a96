package dev.weir.control;

import dev.weir.control.change.Precondition;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A control plane for each test, on the database that a subclass names. */
abstract class DatabaseContract {
    static final Precondition ANY = new Precondition.None();

    protected ControlPlane plane;

    abstract ControlSettings settings();

    @BeforeEach
    void open() throws IOException {
        plane = ControlPlane.open(settings(), LoadOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        plane.close();
    }

    /** Opens the database again, as after a restart. */
    void reopen() throws IOException {
        close();
        open();
    }
}
