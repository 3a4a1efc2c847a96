package dev.weir;

/** The store that {@link Store#memory} returns. */
enum ProcessMemory implements Store {
    INSTANCE;

    @Override
    public String toString() {
        return "memory";
    }
}
