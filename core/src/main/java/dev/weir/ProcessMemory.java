package dev.weir;

/** {@link Store#memory}. */
enum ProcessMemory implements Store {
    INSTANCE;

    @Override
    public String toString() {
        return "memory";
    }
}
