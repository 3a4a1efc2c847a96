package dev.weir.server.access;

import dev.weir.control.audit.Author;
import dev.weir.control.token.Role;
import dev.weir.server.http.HttpProblemException;

/**
 * Who calls.
 *
 * @param name of the token; without one, what the caller says, marked as that
 * @param address that the call came from
 * @param proven whether a token says so
 */
public record Caller(String name, Role role, String address, boolean proven) {

    /**
     * Passes if this caller may.
     *
     * @throws HttpProblemException 403, naming the role that it takes
     */
    public void require(Permission permission) {
        if (role.covers(permission.role())) {
            return;
        }
        String needed = "to " + permission.words() + " takes the role "
                + permission.role().spelling();
        throw HttpProblemException.forbidden(
                proven
                        ? needed + "; the token " + name + " has the role " + role.spelling()
                        : needed + " and a token with it: once there is a token for admins, this machine may only look"
                                + " without one");
    }

    /** As the audit knows them. */
    public Author author(String reason) {
        return new Author(name, address, reason);
    }
}
