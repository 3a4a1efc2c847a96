package dev.weir.control;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditPosition;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.audit.Author;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.bans.BanChange;
import dev.weir.control.bans.BanDatabase;
import dev.weir.control.bans.BanRows;
import dev.weir.control.bans.Bans;
import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.ColumnLimits;
import dev.weir.control.change.ConditionalChanges;
import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.change.FollowedKind;
import dev.weir.control.change.Precondition;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.folder.DataFiles;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.folder.DatabaseCopyWriter;
import dev.weir.control.folder.LaterChanges;
import dev.weir.control.quota.QuotaCache;
import dev.weir.control.quota.QuotaEdit;
import dev.weir.control.quota.QuotaTable;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.DatabaseLayer;
import dev.weir.control.rules.FollowedRules;
import dev.weir.control.rules.RuleEdit;
import dev.weir.control.rules.RuleTable;
import dev.weir.control.switches.LatestSwitches;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchTable;
import dev.weir.control.switches.Switches;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.TokenTable;
import dev.weir.control.token.Tokens;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rules, quotas, tokens, switches and bans that operators change while the server runs.
 *
 * <p><b>Reads</b> are served from memory and never block. <b>Changes</b> are database transactions and block: do not
 * make them on an event loop. When a change returns, it is in force on this node; every other node follows within two
 * seconds.
 */
public final class ControlPlane implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ControlPlane.class.getName());
    private static final int BATCH = 1_000;

    private final @Nullable Path data;
    private final DataFiles files;
    private final @Nullable DatabaseCopy copy;
    private final Database database;
    private final AuditedTransactions transactions;
    private final DatabaseFollower follower;
    private final ConditionalChanges changes;
    private final Tokens tokens;
    private final Switches switches;
    private final Bans bans;
    private final ScheduledThreadPoolExecutor timer;
    private final QuotaCache quotas;
    private final FollowedRules rules;
    private final DatabaseCopyWriter copyWriter;
    /** Whether it began with the copy. */
    private boolean restored;

    private ControlPlane(
            @Nullable Path data, DataFiles files, Database database, LoadOptions options, boolean listens) {
        this.files = files;
        this.database = database;
        this.data = data;
        copy = data == null ? null : DatabaseCopy.in(data);
        timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("weir-control-timer"));
        timer.setRemoveOnCancelPolicy(true);
        quotas = new QuotaCache(timer);
        transactions = new AuditedTransactions(database, files.audit, database.isShared() ? null : files.lastCommit);
        copyWriter = new DatabaseCopyWriter(copy, this::write);
        rules = new FollowedRules(database.toString(), options, copyWriter::requestWrite);
        TokenCache tokenCache = new TokenCache();
        List<FollowedKind> followed = List.of(
                FollowedTable.tokens(tokenCache, copyWriter::requestWrite),
                FollowedChanges.switches(this::replaceSwitches, this::updateSwitches),
                FollowedTable.quotas(quotas, copyWriter::requestWrite),
                rules,
                FollowedChanges.bans(this::replaceBans, this::updateBans),
                AuditOnlyKind.COUNTER,
                AuditOnlyKind.RULE_FILE);
        follower = new DatabaseFollower(database, transactions, followed, listens);
        changes = new ConditionalChanges(transactions, follower);
        tokens = new Tokens(database, changes, follower, tokenCache);
        switches =
                new Switches(database.isShared(), changes, transactions, follower, new LatestSwitches(), files.journal);
        bans = new Bans(new BanDatabase(database.isShared(), changes, transactions, follower), data);
    }

    /**
     * Opens the data folder and the database of {@code settings}. If the database is unreachable, or an embedded one is
     * damaged or lost, the server still starts, with this node's last copy of it. It uses the copy until the database is
     * back, or an operator has {@linkplain Recovery recovered} it.
     *
     * @throws IOException if the folder cannot be used or another server holds it, or if stored rules do not load; the
     *     message is for people
     */
    public static ControlPlane open(ControlSettings settings, LoadOptions options) throws IOException {
        return open(settings, options, true);
    }

    /**
     * Opens a control plane that, without {@code listens}, ignores PostgreSQL's notifications and relies on polling.
     */
    public static ControlPlane open(ControlSettings settings, LoadOptions options, boolean listens) throws IOException {
        DataFiles files = DataFiles.open(settings.data());
        Database database;
        try {
            database = database(settings, files);
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
        ControlPlane plane = new ControlPlane(settings.data(), files, database, options, listens);
        try {
            plane.begin();
            return plane;
        } catch (IOException | RuntimeException e) {
            plane.close();
            throw e;
        }
    }

    private static Database database(ControlSettings settings, DataFiles files) {
        if (settings.database() != null) {
            return Database.postgres(settings.database());
        }
        Path data = settings.data();
        if (data != null) {
            return Database.isEmpty(data) && hasHistory(files, data) ? Database.lost(data) : Database.embedded(data);
        }
        throw new IllegalArgumentException("neither a data folder nor a database is set");
    }

    /** Returns whether the folder shows that there once was something in the embedded database. */
    private static boolean hasHistory(DataFiles files, Path data) {
        try {
            DatabaseCopy.Contents saved = DatabaseCopy.in(data).load();
            return (files.audit != null && files.audit.version() > 0)
                    || (files.lastCommit != null && files.lastCommit.version() > 0)
                    || (saved != null && !saved.isEmpty());
        } catch (IOException e) {
            return true; // a damaged copy is the trace of something
        }
    }

    private void begin() throws IOException {
        try {
            if (database.isUsable()) {
                checkContents();
            }
            follower.sync(); // logs why an unusable database is so
        } catch (DatabaseException e) {
            if (data != null && !database.isShared() && database.isUsable()) {
                // It opened but cannot be read. A change could still succeed, and would be lost in a recovery.
                database.giveUp(data, Database.EMBEDDED + " is damaged: " + e.getMessage());
                LOG.log(Level.ERROR, database.unusable());
            }
            restore();
        }
        String problems = rules.problems();
        if (!problems.isEmpty() && !restored) {
            throw new IOException("the rules in " + database + " do not load:\n" + problems);
        }
        follower.start();
    }

    /**
     * Gives up an embedded database that has gone back: H2 may open what is left of a file as an older or an empty
     * database, in which a revoked token is valid again. The audit file may be one change ahead, because a server that
     * is killed during a change has written its line already; then the change has not been acknowledged.
     */
    private void checkContents() {
        if (data == null || database.isShared()) {
            return;
        }
        long version = database.transaction(AuditedTransactions::version);
        long audited = files.audit == null ? 0 : files.audit.version();
        long committed = files.lastCommit == null ? -1 : files.lastCommit.version();
        boolean interrupted = version == audited - 1 && (committed >= 0 || !endsWithToken(files.audit));
        boolean lacksLines = version < audited && !interrupted;
        if (version < committed || lacksLines || (version == 0 && committed < 0 && hasHistory(files, data))) {
            database.giveUp(
                    data,
                    Database.EMBEDDED + " has lost changes: it ends with change " + version
                            + ", and the last one was change " + Math.max(audited, committed));
        } else if (files.lastCommit != null && version != committed) {
            note(files.lastCommit, version);
        }
    }

    /** Returns whether the last line is about a token. */
    private static boolean endsWithToken(@Nullable AuditFile audit) {
        AuditLine last = audit == null ? null : audit.last();
        try {
            return last != null && AuditTable.Entry.of(last).kind().equals(Tokens.KIND);
        } catch (IOException e) {
            return true; // it may be
        }
    }

    private static void note(LastCommit lastCommit, long version) {
        try {
            lastCommit.set(version);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the last change cannot be noted in the data folder: " + e.getMessage());
        }
    }

    private void restore() {
        DatabaseCopy.Contents saved = null;
        String none = "there is no copy of " + database;
        try {
            saved = copy == null ? null : copy.load();
        } catch (IOException e) {
            none = "the copy of " + database + " cannot be used (" + e.getMessage() + ")";
        }
        if (saved == null || data == null) {
            if (!database.isUsable()) {
                tokens.book().lost("the tokens are unknown, so the admin port is closed: " + database.unusable());
            }
            LOG.log(
                    Level.ERROR,
                    none + ": only the rules from files are in force until it is back"
                            + (database.isUsable() ? "" : ", and the admin port is closed, except for admin_token"));
            return;
        }
        restored = true;
        restoreTokens(saved, LaterChanges.than(saved, data, database.isShared()));
        switches.restore(saved.switches());
        quotas.setAll(saved.quotas());
        rules.restore(saved.rules());
        LOG.log(
                Level.WARNING,
                "starting with the copy of " + database + " from " + saved.at() + ": "
                        + saved.sizes()
                        + (database.isUsable() ? "" : "; changes are refused, except switches, until it is recovered"));
    }

    /**
     * Takes over the tokens of the copy that are certainly still valid. Without certainty nobody is let in for want of
     * an admin token.
     */
    private void restoreTokens(DatabaseCopy.Contents saved, LaterChanges later) {
        if (later.tellWhoMayGetIn(saved)) {
            tokens.book().setAll(later.untouched(saved));
        } else if (!database.isUsable()) {
            tokens.book().lost("the tokens are unknown, so the admin port is closed: " + database.unusable());
        }
        if (!later.areKnown()) {
            LOG.log(
                    Level.ERROR,
                    "the copy of " + database + " may lack later changes (" + later.unknown()
                            + "), so its tokens are not accepted");
        } else if (!later.changes().isEmpty()) {
            LOG.log(
                    Level.ERROR,
                    "the copy of " + database + " lacks changes that the audit file has: " + later.summary()
                            + (tokens.book().isRead()
                                    ? "; tokens that were changed since are not accepted"
                                    : "; no admin token is left, so no token is accepted"));
        }
    }

    /** Returns the database rules that are in force: the latest version that loads. */
    public DatabaseLayer rules() {
        return rules.inForce();
    }

    /** Returns why the latest database rules are not in force on this server, one error per line; empty if they are. */
    public String ruleProblems() {
        return rules.problems();
    }

    /** Returns the admin tokens. */
    public Tokens tokens() {
        return tokens;
    }

    /** Returns the switches. */
    public Switches switches() {
        return switches;
    }

    /** Returns the bans. */
    public Bans bans() {
        return bans;
    }

    /** Returns the callers' quotas. */
    public QuotaCache quotas() {
        return quotas;
    }

    /**
     * Sets the listener that receives the database rules whenever they change, on the thread that noticed the change.
     */
    public void onRules(Consumer<DatabaseLayer> listener) {
        rules.onChange(listener);
    }

    /** Returns the servers that share the database; null if nobody else can. */
    public @Nullable DatabaseNodes nodes() {
        return database.isShared() ? DatabaseNodes.ofStatus(database) : null;
    }

    /** Returns the heaviest callers of the servers that share the database; null if nobody else can. */
    public @Nullable DatabaseNodes topKeys() {
        return database.isShared() ? DatabaseNodes.ofTopKeys(database) : null;
    }

    /** Returns whether the last call to the database succeeded. */
    public boolean isConnected() {
        return follower.isConnected();
    }

    /** Returns whether the database is none that an operator has to {@linkplain Recovery recover} first. */
    public boolean isUsable() {
        return database.isUsable();
    }

    /** Returns whether its contents are known: from the database, or from a copy while that is unreachable or damaged. */
    public boolean isKnown() {
        return restored || version() >= 0;
    }

    /** Returns the version of the last change that this node has seen; -1 before the first answer of the database. */
    public long version() {
        return follower.version();
    }

    /**
     * Writes a rule.
     *
     * @throws ChangeRefusedException if the precondition does not hold, or a value does not fit its column
     * @throws DatabaseException if the database is unreachable
     */
    public Change putRule(
            Author author, String id, String domain, String body, Precondition precondition, boolean dryRun) {
        ColumnLimits.RULE_ID.require(id);
        ColumnLimits.DOMAIN.require(domain);
        return changes.make(author, FollowedRules.KIND, id, precondition, dryRun, RuleEdit.put(id, domain, body));
    }

    /** Deletes a rule; a rule from a file that it had replaced is in force again. */
    public Change deleteRule(Author author, String id, Precondition precondition, boolean dryRun) {
        return changes.make(author, FollowedRules.KIND, id, precondition, dryRun, RuleEdit.delete(id));
    }

    /** Sets a caller's quota, replacing the current one. */
    public Change putQuota(Author author, StoredQuota quota, Precondition precondition, boolean dryRun) {
        ColumnLimits.API_KEY.require(quota.apiKey());
        if (quota.tier() != null) {
            ColumnLimits.TIER.require(quota.tier());
        }
        quota.overrides().forEach(each -> ColumnLimits.DESCRIPTOR.require(each.descriptor()));
        return changes.make(author, QuotaEdit.KIND, quota.apiKey(), precondition, dryRun, QuotaEdit.put(quota));
    }

    /** Deletes a caller's quota. */
    public Change deleteQuota(Author author, String apiKey, Precondition precondition, boolean dryRun) {
        return changes.make(author, QuotaEdit.KIND, apiKey, precondition, dryRun, QuotaEdit.delete(apiKey));
    }

    /**
     * Writes to the audit log that counters are about to be reset. The caller resets them afterwards.
     *
     * @throws DatabaseException if the database is unreachable
     */
    public Change recordReset(Author author, String subject, String before) {
        return AuditOnlyKind.COUNTER.record(changes, author, subject, before, null);
    }

    /**
     * Writes to the audit log that rule files have changed: the rules that differ, before and after, as JSON.
     *
     * @throws DatabaseException if the database is unreachable
     */
    public Change recordFileEdit(Author author, String files, String before, String after) {
        return AuditOnlyKind.RULE_FILE.record(changes, author, files, before, after);
    }

    /** Verifies the audit log in the database, line by line. */
    public AuditVerification verifyAudit() {
        return AuditVerification.ofTable(
                version -> database.transaction(connection -> AuditTable.after(connection, version, BATCH)));
    }

    /** Returns up to {@code most} audit lines after {@code version}, oldest first. */
    public List<AuditTable.Entry> audit(long version, int most) {
        return database.transaction(connection -> AuditTable.after(connection, version, most));
    }

    private void replaceSwitches(List<SwitchChange> rows) {
        switches.replaceFromDatabase(rows);
        copyWriter.requestWrite();
    }

    private void updateSwitches(List<SwitchChange> rows) {
        switches.updateFromDatabase(rows);
        copyWriter.requestWrite();
    }

    private void replaceBans(List<BanChange> rows) {
        bans.replaceFromDatabase(rows);
    }

    private void updateBans(List<BanChange> rows) {
        bans.updateFromDatabase(rows);
    }

    private void write(DatabaseCopy target) throws IOException {
        AuditPosition position = follower.position(); // first: the contents may be newer, never older
        if (position.isKnown()) { // else this server itself runs on the copy
            target.save(new DatabaseCopy.Contents(
                    rules().rules(),
                    quotas.all(),
                    tokens.book().all(),
                    switches.last(),
                    List.of(), // this node keeps bans in a file of their own
                    List.of(),
                    position,
                    Instant.now().truncatedTo(ChronoUnit.SECONDS)));
        }
    }

    /** Returns all records and the audit log as of one moment, for a backup. */
    public DatabaseCopy.Contents backup() {
        return database.snapshot(connection -> {
            long version = AuditedTransactions.version(connection);
            return new DatabaseCopy.Contents(
                    RuleTable.all(connection),
                    QuotaTable.all(connection),
                    TokenTable.all(connection),
                    SwitchTable.all(connection),
                    BanRows.all(connection),
                    AuditTable.after(connection, 0, Integer.MAX_VALUE).stream()
                            .map(AuditTable.Entry::line)
                            .toList(),
                    new AuditPosition(version, AuditTable.hash(connection, version)),
                    Instant.now().truncatedTo(ChronoUnit.SECONDS));
        });
    }

    @Override
    public void close() {
        switches.close();
        bans.close();
        follower.close();
        copyWriter.finish();
        timer.shutdownNow();
        tokens.close();
        database.close();
        files.close();
    }
}
