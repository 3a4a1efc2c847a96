package dev.weir.server.access;

import dev.weir.control.audit.Author;
import dev.weir.control.token.Role;
import dev.weir.server.http.HttpProblemException;

/**
 * An identified caller.
 *
 * @param name the name of the token; without a token, the caller's own claim, marked as such
 * @param address the address that the call came from
 * @param proven whether a token proves the name
 */
public record Caller(String name, Role role, String address, boolean proven) {

    /**
     * Requires {@code permission}.
     *
     * @throws HttpProblemException 403, naming the required role
     */
    public void require(Permission permission) {
        if (role.covers(permission.role())) {
            return;
        }
        String needed = "the role " + permission.role().text() + " is required to " + permission.words();
        throw HttpProblemException.forbidden(
                proven
                        ? needed + "; the token " + name + " has the role " + role.text()
                        : needed
                                + ", with a token: once an admin token exists, or while this server has not reached its"
                                + " database since its start, calls without a token may only read");
    }

    /** The author for the audit. */
    public Author author(String reason) {
        return new Author(name, address, reason);
    }
}
