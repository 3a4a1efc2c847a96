package dev.weir.internal.model;

/**
 * A permit that a decision took from one concurrency limit: all that is needed to release or renew it.
 *
 * @param rule the label of the rule
 * @param store the index of the shared store that counts it; -1 for the memory of this process
 * @param key0 half of the counter's key in this process
 * @param subject the hash of the counter's subject, the same in every process; 0 for a counter of this process
 * @param name the counter's name in a shared store; empty for a counter of this process
 * @param firstId the first of its ids, which follow each other
 * @param count how many hits it stands for
 * @param ttlMicros how long it lasts, unless it is released or renewed
 * @param node the process that counts it, for {@code consistency: leased}; 0 if its store does
 */
public record HeldPermit(
        String rule,
        int store,
        long key0,
        long key1,
        long subject,
        String name,
        long firstId,
        long count,
        long ttlMicros,
        long node) {}
