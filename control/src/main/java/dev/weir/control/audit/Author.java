package dev.weir.control.audit;

/**
 * The author of a change.
 *
 * @param name a person or a token, as far as it is known
 * @param from the address that the change came from
 * @param reason why, in the author's words; may be empty
 */
public record Author(String name, String from, String reason) {}
