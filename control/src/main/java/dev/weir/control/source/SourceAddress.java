package dev.weir.control.source;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The address of a rule source on the network. */
public sealed interface SourceAddress {

    /** Returns the name of the source in messages, metrics and rules. */
    String label();

    /** Returns the servers, which are equivalent. */
    List<Host> hosts();

    boolean tls();

    /** A server; an IPv6 address has no brackets. */
    record Host(String name, int port) {
        @Override
        public String toString() {
            return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
        }
    }

    /**
     * All keys below a prefix in etcd.
     *
     * @param prefix begins with a slash and ends without one
     * @param user null if the address has none
     */
    record Etcd(
            List<Host> hosts,
            String prefix,
            boolean tls,
            @Nullable String user,
            @Nullable String password) implements SourceAddress {
        public Etcd {
            hosts = List.copyOf(hosts);
        }

        @Override
        public String label() {
            return "etcd:" + prefix;
        }

        /** Returns the label, without the password. */
        @Override
        public String toString() {
            return label();
        }
    }

    /** An xDS server. */
    record Xds(Host host, boolean tls) implements SourceAddress {
        @Override
        public String label() {
            return "xds:" + host;
        }

        @Override
        public List<Host> hosts() {
            return List.of(host);
        }
    }

    /** Returns whether {@code text} is an address and not the name of a file. */
    static boolean isOne(String text) {
        return text.matches("(?s)[a-z]+://.*");
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if {@code text} is not one; the message does not repeat the text, which may hold
     *     a password
     */
    static SourceAddress parse(String text) {
        String rest = text.substring(text.indexOf("://") + 3);
        return switch (text.substring(0, text.indexOf("://"))) {
            case "etcd" -> etcd(rest, false);
            case "etcds" -> etcd(rest, true);
            case "xds" -> xds(rest, false);
            case "xdss" -> xds(rest, true);
            default ->
                throw new IllegalArgumentException(
                        "unknown rule source (expected: a path, etcd://host:port/prefix or xds://host:port;"
                                + " etcds and xdss use TLS)");
        };
    }

    private static Etcd etcd(String rest, boolean tls) {
        String expected = "expected: etcd://host:port,host:port/prefix";
        int slash = rest.indexOf('/');
        String prefix = slash < 0 ? "" : rest.substring(slash).replaceAll("/+$", "");
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("the prefix of the rule keys is missing (" + expected + ")");
        }
        String authority = rest.substring(0, slash);
        int at = authority.lastIndexOf('@');
        String[] who = at < 0 ? new String[0] : authority.substring(0, at).split(":", 2);
        List<Host> hosts = new ArrayList<>();
        for (String each : authority.substring(at + 1).split(",", -1)) {
            hosts.add(host(each, expected));
        }
        return new Etcd(
                hosts, prefix, tls, who.length > 0 ? decoded(who[0]) : null, who.length > 1 ? decoded(who[1]) : null);
    }

    private static Xds xds(String rest, boolean tls) {
        return new Xds(host(rest.replaceAll("/$", ""), "expected: xds://host:port"), tls);
    }

    private static Host host(String text, String expected) {
        int colon = text.lastIndexOf(':');
        String name = colon < 0 ? "" : text.substring(0, colon);
        String bare = name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
        String port = text.substring(colon + 1);
        if (!bare.matches("[A-Za-z0-9_.:%-]+") || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException("not a host and port (" + expected + ")");
        }
        return new Host(bare, Integer.parseInt(port));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
