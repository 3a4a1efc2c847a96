package dev.weir.internal.model;

/**
 * Where the load of a service is read from.
 *
 * @param prometheus the base address of a Prometheus server
 * @param query its result is the utilisation, from 0 to 1; of several series the highest counts
 */
public record LoadQuery(String service, String prometheus, String query) {}
