package dev.weir.simulation.store;

/** The machine at the near end of a {@link Link}. */
public interface Host {

    int number();

    /** The time until which the machine is paused, as by SIGSTOP; in the past if it runs. */
    long pausedUntil();
}
