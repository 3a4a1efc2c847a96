package dev.weir.control;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.audit.Author;
import dev.weir.control.data.Stored;
import dev.weir.control.database.DataFolder;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.database.PostgresUrl;
import dev.weir.control.quota.QuotaBook;
import dev.weir.control.quota.QuotaTable;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.RuleLayer;
import dev.weir.control.rules.RuleTable;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.Switch;
import dev.weir.control.switches.SwitchBook;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.control.token.TokenBook;
import dev.weir.rules.LoadOptions;
import dev.weir.rules.diagnostics.Diagnostic;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rules and quotas that operators change while the server runs.
 *
 * <p><b>Reading</b> is from memory and never waits. <b>Changing</b> is a transaction, which blocks: not for an event loop.
 * When a change returns, it is in force on this node; on every other within two seconds.
 */
public final class ControlPlane implements AutoCloseable {
    static final String RULE = "rule";
    static final String QUOTA = "quota";

    private static final System.Logger LOG = System.getLogger(ControlPlane.class.getName());
    private static final int BATCH = 1_000;
    private static final int SAVE_MILLIS = 1_000;

    private final LoadOptions options;
    private final @Nullable DataFolder folder;
    private final @Nullable AuditFile file;
    private final @Nullable LastGood lastGood;
    private final Database database;
    private final Ledger ledger;
    private final Follower follower;
    private final Changes changes;
    private final Tokens tokens;
    private final Switches switches;
    private final ScheduledExecutorService timer;
    private final QuotaBook quotas;
    private final AtomicBoolean saving = new AtomicBoolean();
    private volatile RuleLayer read = RuleLayer.EMPTY;
    private volatile RuleLayer good = RuleLayer.EMPTY;
    private volatile Consumer<RuleLayer> listener = layer -> {};

    private ControlPlane(ControlSettings settings, LoadOptions options, boolean listens) throws IOException {
        this.options = options;
        Path data = settings.data();
        PostgresUrl url = settings.database();
        if (data == null && url == null) {
            throw new IllegalArgumentException("neither a folder nor a database");
        }
        folder = data == null ? null : DataFolder.open(data);
        file = data == null ? null : AuditFile.open(data);
        lastGood = data == null || url == null ? null : new LastGood(data);
        if (url != null) {
            database = Database.postgres(url);
        } else if (data != null) {
            database = Database.embedded(data);
        } else {
            throw new IllegalStateException();
        }
        timer = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "weir-control-timer");
            thread.setDaemon(true);
            return thread;
        });
        quotas = new QuotaBook(timer);
        ledger = new Ledger(database, file);
        TokenBook book = new TokenBook();
        FollowedTokens followed = new FollowedTokens(book, this::saveSoon);
        FollowedSwitches followedSwitches = new FollowedSwitches(this::switched);
        follower = new Follower(
                database,
                ledger,
                List.of(followed, followedSwitches, new FollowedQuotas(), new FollowedRules(), new CounterResets()),
                listens);
        changes = new Changes(ledger, follower);
        tokens = new Tokens(database, changes, book);
        SwitchJournal journal = SwitchJournal.open(data);
        switches = new Switches(database.isShared(), changes, ledger, follower, new SwitchBook(), journal);
    }

    /**
     * Opens what {@code settings} name. A shared database that is away does not keep a server from starting: what this node
     * has seen of it last is in force until it is back.
     *
     * @throws IOException if the folder cannot be used or another server has it, or the rules that are kept do not load; for
     *     people
     */
    public static ControlPlane open(ControlSettings settings, LoadOptions options) throws IOException {
        return open(settings, options, true);
    }

    /** {@code listens}: off, it is as if notifications were dropped. */
    static ControlPlane open(ControlSettings settings, LoadOptions options, boolean listens) throws IOException {
        ControlPlane plane = new ControlPlane(settings, options, listens);
        try {
            plane.begin();
            return plane;
        } catch (IOException | RuntimeException e) {
            plane.close();
            throw e;
        }
    }

    private void begin() throws IOException {
        try {
            follower.sync();
        } catch (DatabaseException e) {
            if (!database.isShared()) {
                throw new IOException(e.getMessage(), e);
            }
            restore();
        }
        List<Diagnostic> errors = read.errors();
        if (!errors.isEmpty()) {
            throw new IOException("the rules in " + database + " do not load:\n" + lines(errors));
        }
        follower.start();
    }

    private void restore() throws IOException {
        LastGood.Kept kept = lastGood == null ? null : lastGood.load();
        if (kept == null) {
            LOG.log(
                    Level.ERROR,
                    "no copy of what " + database + " held: only the rules of the files are in force until it is back");
            return;
        }
        tokens.book().setAll(kept.tokens());
        switches.restore(kept.switches());
        quotas.setAll(kept.quotas());
        take(RuleLayer.of(kept.rules(), options));
        LOG.log(
                Level.WARNING,
                "starting with what " + database + " held at " + kept.at() + ": "
                        + kept.rules().size() + " rules, " + kept.quotas().size() + " quotas");
    }

    /** The rules of the database that are in force: the last that load. */
    public RuleLayer rules() {
        return good;
    }

    /** What opens the admin port. */
    public Tokens tokens() {
        return tokens;
    }

    /** What was switched. */
    public Switches switches() {
        return switches;
    }

    /** What was agreed with callers. */
    public QuotaBook quotas() {
        return quotas;
    }

    /** Tells {@code next} of the rules whenever they change, on the thread that found out. */
    public void onRules(Consumer<RuleLayer> next) {
        listener = next;
    }

    /** Whether the database answered when it was last asked. */
    public boolean isConnected() {
        return follower.isConnected();
    }

    /** The number of the last change that this node has seen; -1 before the first answer of the database. */
    public long version() {
        return follower.version();
    }

    /** Which database it is, for people. */
    public String place() {
        return database.toString();
    }

    /**
     * Writes a rule.
     *
     * @throws RefusedException if the precondition does not hold
     * @throws DatabaseException if the database is away
     */
    public Change putRule(
            Author author, String id, String domain, String body, Precondition precondition, boolean dryRun) {
        return changes.make(author, RULE, id, precondition, dryRun, new Changes.Editing() {
            @Override
            public Changes.@Nullable Existing existing(Connection connection) throws SQLException {
                StoredRule rule = RuleTable.get(connection, id);
                return rule == null ? null : new Changes.Existing(rule.stored().version(), rule.json());
            }

            @Override
            public String apply(Connection connection, Stored stored) throws SQLException {
                StoredRule rule = new StoredRule(id, domain, body, stored);
                RuleTable.put(connection, rule);
                return rule.json();
            }
        });
    }

    /** Takes a rule away; what it replaced in the files is in force again. */
    public Change deleteRule(Author author, String id, Precondition precondition, boolean dryRun) {
        return changes.make(author, RULE, id, precondition, dryRun, new Changes.Editing() {
            @Override
            public Changes.Existing existing(Connection connection) throws SQLException {
                StoredRule rule = RuleTable.get(connection, id);
                if (rule == null) {
                    throw new RefusedException(
                            RefusedException.Cause.MISSING, "no rule of the database is called " + id);
                }
                return new Changes.Existing(rule.stored().version(), rule.json());
            }

            @Override
            public @Nullable String apply(Connection connection, Stored stored) throws SQLException {
                RuleTable.delete(connection, id);
                return null;
            }
        });
    }

    /** Writes what was agreed with a caller, in the place of what was agreed before. */
    public Change putQuota(Author author, StoredQuota quota, Precondition precondition, boolean dryRun) {
        return changes.make(author, QUOTA, quota.apiKey(), precondition, dryRun, new Changes.Editing() {
            @Override
            public Changes.@Nullable Existing existing(Connection connection) throws SQLException {
                StoredQuota old = QuotaTable.get(connection, quota.apiKey());
                return old == null ? null : new Changes.Existing(old.stored().version(), old.json());
            }

            @Override
            public String apply(Connection connection, Stored stored) throws SQLException {
                QuotaTable.put(connection, quota.as(stored));
                return quota.json();
            }
        });
    }

    /** Ends what was agreed with a caller. */
    public Change deleteQuota(Author author, String apiKey, Precondition precondition, boolean dryRun) {
        return changes.make(author, QUOTA, apiKey, precondition, dryRun, new Changes.Editing() {
            @Override
            public Changes.Existing existing(Connection connection) throws SQLException {
                StoredQuota old = QuotaTable.get(connection, apiKey);
                if (old == null) {
                    throw new RefusedException(RefusedException.Cause.MISSING, "nothing was agreed with this api_key");
                }
                return new Changes.Existing(old.stored().version(), old.json());
            }

            @Override
            public @Nullable String apply(Connection connection, Stored stored) throws SQLException {
                QuotaTable.delete(connection, apiKey);
                return null;
            }
        });
    }

    /**
     * Writes into the audit that counters are about to be forgotten; it is for the caller to forget them then.
     *
     * @throws DatabaseException if the database is away
     */
    public Change recordReset(Author author, String subject, String before) {
        return CounterResets.record(changes, author, subject, before);
    }

    /** Checks the audit in the database, line by line. */
    public AuditVerification verifyAudit() {
        return AuditVerification.ofTable(
                version -> database.transaction(connection -> AuditTable.after(connection, version, BATCH)));
    }

    /** The lines of audit after {@code version}, as JSON objects, the oldest first. */
    public List<AuditTable.Entry> audit(long version, int most) {
        return database.transaction(connection -> AuditTable.after(connection, version, most));
    }

    private void switched(List<Switch> rows) {
        switches.database(rows);
        saveSoon();
    }

    private final class FollowedQuotas implements Followed {
        @Override
        public String kind() {
            return QUOTA;
        }

        @Override
        public Runnable readAll(Connection connection) throws SQLException {
            List<StoredQuota> all = QuotaTable.all(connection);
            return () -> {
                quotas.setAll(all);
                saveSoon();
            };
        }

        @Override
        public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
            Map<String, @Nullable StoredQuota> some = new LinkedHashMap<>();
            for (String each : subjects) {
                some.put(each, QuotaTable.get(connection, each));
            }
            return () -> {
                some.forEach(quotas::set);
                saveSoon();
            };
        }
    }

    private final class FollowedRules implements Followed {
        @Override
        public String kind() {
            return RULE;
        }

        @Override
        public Runnable readAll(Connection connection) throws SQLException {
            List<StoredRule> all = RuleTable.all(connection);
            return () -> take(RuleLayer.of(all, options));
        }

        @Override
        public Runnable read(Connection connection, Set<String> subjects) throws SQLException {
            RuleLayer next = read;
            for (String each : subjects) {
                next = next.with(each, RuleTable.get(connection, each), options);
            }
            RuleLayer changed = next;
            return () -> take(changed);
        }
    }

    private void take(RuleLayer next) {
        read = next;
        List<Diagnostic> errors = next.errors();
        if (!errors.isEmpty()) {
            LOG.log(
                    Level.ERROR,
                    "rules in " + database + " do not load; those of before stay in force:\n" + lines(errors));
            return;
        }
        good = next;
        listener.accept(next);
        saveSoon();
    }

    private static String lines(List<Diagnostic> errors) {
        return errors.stream().limit(20).map(Diagnostic::toString).collect(Collectors.joining("\n"));
    }

    /** Many changes in a row are kept once. */
    private void saveSoon() {
        if (lastGood != null && saving.compareAndSet(false, true)) {
            var unused = timer.schedule(this::save, SAVE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void save() {
        saving.set(false);
        try {
            if (lastGood != null) {
                lastGood.save(good.rules(), quotas.all(), tokens.book().all(), switches.last());
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.ERROR, "what the database holds cannot be kept for a restart without it: " + e.getMessage());
        }
    }

    /** For tests: as if the disk were gone. */
    void closeAuditFile() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void close() {
        switches.close();
        follower.close();
        if (saving.get()) {
            save();
        }
        timer.shutdownNow();
        tokens.close();
        database.close();
        try {
            if (file != null) {
                file.close();
            }
            if (folder != null) {
                folder.close();
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the data folder does not close: " + e.getMessage());
        }
    }
}
