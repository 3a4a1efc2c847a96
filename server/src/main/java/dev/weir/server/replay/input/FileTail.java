package dev.weir.server.replay.input;

import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The last lines of a file as it is when this opens it, without the one in whose middle they begin. */
final class FileTail extends FilterInputStream {
    private long left;

    private FileTail(FileChannel file, long from) throws IOException {
        super(Channels.newInputStream(file.position(from)));
        left = file.size() - from;
    }

    /** Opens the last {@code most} bytes of {@code file}. */
    static FileTail open(Path file, long most) throws IOException {
        FileChannel channel = FileChannel.open(file);
        try {
            long from = Math.max(0, channel.size() - most);
            // The byte before shows whether a line begins here.
            FileTail tail = new FileTail(channel, Math.max(0, from - 1));
            if (from > 0) {
                tail.skipLine();
            }
            return tail;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private void skipLine() throws IOException {
        byte[] one = new byte[1];
        while (read(one, 0, 1) > 0 && one[0] != '\n') {}
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (left <= 0) {
            return -1;
        }
        int read = super.read(into, offset, (int) Math.min(length, left));
        left -= Math.max(0, read);
        return read;
    }
}
