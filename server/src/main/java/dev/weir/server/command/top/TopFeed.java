package dev.weir.server.command.top;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Asks the admin port at intervals, in a thread of its own: a server that hangs must not keep keys from being read. */
final class TopFeed implements AutoCloseable {
    private final AdminClient admin;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread made = new Thread(work, "weir-top");
        made.setDaemon(true);
        return made;
    });
    private volatile TopView view = TopView.DENIED;
    private volatile @Nullable Frame frame;
    private volatile @Nullable String problem;

    /** An answer: the state of the server, and the rows of a view. */
    record Frame(JsonObject now, TopView view, List<JsonObject> rows, long atNanos) {
        /** Seconds since the server answered. */
        long age() {
            return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - atNanos);
        }
    }

    TopFeed(AdminClient admin) {
        this.admin = admin;
    }

    /** Asks now and every {@code delay}. */
    void start(Duration delay) {
        var unused = thread.scheduleWithFixedDelay(this::poll, 0, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Asks for another table from now on, and at once. */
    void show(TopView next) {
        view = next;
        thread.execute(this::poll);
    }

    /** The last answer; null before the first. */
    @Nullable
    Frame frame() {
        return frame;
    }

    /** Why the last call failed; null if it did not. */
    @Nullable
    String problem() {
        return problem;
    }

    private void poll() {
        try {
            frame = ask(view);
            problem = null;
        } catch (CommandException e) {
            problem = String.valueOf(e.getMessage());
        } catch (RuntimeException e) {
            problem = "the answer cannot be read: " + e;
        }
    }

    /** Asks once. */
    Frame ask(TopView asked) throws CommandException {
        JsonObject now = admin.get("/admin/v1/now").body();
        List<JsonObject> rows = admin.get(asked.path).body().getJsonArray(asked.rows).stream()
                .map(JsonObject.class::cast)
                .toList();
        return new Frame(now, asked, rows, System.nanoTime());
    }

    /** Explains a row; {@code then} gets the lines, in the thread of the feed. */
    void explain(TopView of, JsonObject row, Consumer<List<String>> then) {
        thread.execute(() -> {
            try {
                then.accept(new TopExplanation(admin).lines(of, row));
            } catch (CommandException e) {
                then.accept(List.of(String.valueOf(e.getMessage())));
            } catch (RuntimeException e) {
                then.accept(List.of("the answer cannot be read: " + e));
            }
        });
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
