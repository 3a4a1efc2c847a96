package dev.weir.server.access;

import io.netty.util.NetUtil;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells which user owns the other end of a connection over loopback, from Linux's tables of sockets ({@code
 * /proc/net/tcp}). Nothing that a caller sends can change the answer. Systems without these tables do not tell, and
 * every peer counts as the server's own user there.
 *
 * <p>Only established sockets count: the kernel lists a socket that its process has closed as root's.
 */
final class SocketOwners {
    private static final List<String> TABLES = List.of("net/tcp", "net/tcp6");
    private static final String ESTABLISHED = "01";
    private static final int ROOT = 0;
    private static final int LOCAL_COLUMN = 1;
    private static final int REMOTE_COLUMN = 2;
    private static final int STATE_COLUMN = 3;
    private static final int USER_COLUMN = 7;

    private final Path proc;
    private final int ownUser;

    /** Reads the tables below {@code proc}; {@code ownUser} is the id of the user that runs this process. */
    SocketOwners(Path proc, int ownUser) {
        this.proc = proc;
        this.ownUser = ownUser;
    }

    /** The tables of this system. */
    static SocketOwners ofSystem() {
        Path proc = Path.of("/proc");
        try {
            return new SocketOwners(proc, (Integer) Files.getAttribute(proc.resolve("self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return new SocketOwners(proc, ROOT);
        }
    }

    /** Whether the socket at {@code address:port}, connected to {@code to:toPort}, is of the own user or of root. */
    boolean isOwn(String address, int port, String to, int toPort) {
        boolean told = false;
        for (String each : TABLES) {
            try (BufferedReader table = Files.newBufferedReader(proc.resolve(each), StandardCharsets.US_ASCII)) {
                told = true;
                Integer user = user(table, address, port, to, toPort);
                if (user != null) {
                    return user == ownUser || user == ROOT;
                }
            } catch (IOException e) {
                // A kernel without IPv6 has no table for it.
            }
        }
        return !told;
    }

    private static @Nullable Integer user(BufferedReader table, String address, int port, String to, int toPort)
            throws IOException {
        String from = endpoint(address, port);
        String mappedFrom = mapped(from);
        String until = endpoint(to, toPort);
        String mappedUntil = mapped(until);
        String line;
        while ((line = table.readLine()) != null) {
            // Nearly all lines are of other ports, and are not split.
            if (line.contains(from)) {
                String[] columns = line.strip().split(" +", -1);
                if (columns.length > USER_COLUMN
                        && columns[STATE_COLUMN].equals(ESTABLISHED)
                        && (columns[LOCAL_COLUMN].equals(from) || columns[LOCAL_COLUMN].equals(mappedFrom))
                        && (columns[REMOTE_COLUMN].equals(until) || columns[REMOTE_COLUMN].equals(mappedUntil))) {
                    return Integer.valueOf(columns[USER_COLUMN]);
                }
            }
        }
        return null;
    }

    /** An address and a port as the tables show them: words of four bytes in the machine's order. */
    private static String endpoint(String address, int port) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        StringBuilder text = new StringBuilder();
        for (int i = 0; bytes != null && i < bytes.length; i++) {
            int at = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? i / 4 * 4 + 3 - i % 4 : i;
            text.append(HexFormat.of().withUpperCase().toHexDigits(bytes[at]));
        }
        return text.append(':').append(String.format(Locale.ROOT, "%04X", port)).toString();
    }

    /** The same endpoint in the table of IPv6, where a socket for both families is listed. */
    private static String mapped(String endpoint) {
        String prefix = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? "FFFF0000" : "0000FFFF";
        return "0".repeat(16) + prefix + endpoint;
    }
}
