package dev.weir.control;

import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.audit.Author;
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
import dev.weir.control.quota.QuotaCache;
import dev.weir.control.quota.QuotaEdit;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.DatabaseLayer;
import dev.weir.control.rules.FollowedRules;
import dev.weir.control.rules.RuleEdit;
import dev.weir.control.switches.FollowedSwitches;
import dev.weir.control.switches.LatestSwitches;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.Switches;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.Tokens;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rules and quotas that operators change while the server runs.
 *
 * <p><b>Reading</b> is from memory and never waits. <b>Changing</b> is a transaction, which blocks: not for an event loop.
 * When a change returns, it is in force on this node; on every other within two seconds.
 */
public final class ControlPlane implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ControlPlane.class.getName());
    private static final int BATCH = 1_000;

    private final DataFiles files;
    private final @Nullable DatabaseCopy lastGood;
    private final Database database;
    private final AuditedTransactions ledger;
    private final DatabaseFollower follower;
    private final ConditionalChanges changes;
    private final Tokens tokens;
    private final Switches switches;
    private final ScheduledThreadPoolExecutor timer;
    private final QuotaCache quotas;
    private final FollowedRules rules;
    private final DatabaseCopyWriter copying;

    private ControlPlane(
            @Nullable Path data, DataFiles files, Database database, LoadOptions options, boolean listens) {
        this.files = files;
        this.database = database;
        lastGood = data == null || !database.isShared() ? null : new DatabaseCopy(data);
        timer = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "weir-control-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        quotas = new QuotaCache(timer);
        ledger = new AuditedTransactions(database, files.audit);
        copying = new DatabaseCopyWriter(lastGood, this::write);
        rules = new FollowedRules(database.toString(), options, copying::soon);
        TokenCache book = new TokenCache();
        List<FollowedKind> followed = List.of(
                FollowedTable.tokens(book, copying::soon),
                new FollowedSwitches(this::allSwitched, this::switched),
                FollowedTable.quotas(quotas, copying::soon),
                rules,
                new CounterResets());
        follower = new DatabaseFollower(database, ledger, followed, listens);
        changes = new ConditionalChanges(ledger, follower);
        tokens = new Tokens(database, changes, follower, book);
        switches = new Switches(database.isShared(), changes, ledger, follower, new LatestSwitches(), files.journal);
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
    public static ControlPlane open(ControlSettings settings, LoadOptions options, boolean listens) throws IOException {
        DataFiles files = DataFiles.open(settings.data());
        Database database;
        try {
            database = database(settings);
        } catch (IOException | RuntimeException e) {
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

    private static Database database(ControlSettings settings) throws IOException {
        if (settings.database() != null) {
            return Database.postgres(settings.database());
        }
        if (settings.data() != null) {
            return Database.embedded(settings.data());
        }
        throw new IllegalArgumentException("neither a folder nor a database");
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
        String problems = rules.problems();
        if (!problems.isEmpty()) {
            throw new IOException("the rules in " + database + " do not load:\n" + problems);
        }
        follower.start();
    }

    private void restore() throws IOException {
        DatabaseCopy.Kept kept = lastGood == null ? null : lastGood.load();
        if (kept == null) {
            LOG.log(
                    Level.ERROR,
                    "no copy of what " + database + " held: only the rules of the files are in force until it is back");
            return;
        }
        tokens.book().setAll(kept.tokens());
        switches.restore(kept.switches());
        quotas.setAll(kept.quotas());
        rules.setAll(kept.rules());
        LOG.log(
                Level.WARNING,
                "starting with what " + database + " held at " + kept.at() + ": "
                        + kept.rules().size() + " rules, " + kept.quotas().size() + " quotas");
    }

    /** The rules of the database that are in force: the last that load. */
    public DatabaseLayer rules() {
        return rules.inForce();
    }

    /** What keeps the rules of the database from being in force on this server, a line each; empty where nothing does. */
    public String ruleProblems() {
        return rules.problems();
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
    public QuotaCache quotas() {
        return quotas;
    }

    /** Tells {@code next} of the rules whenever they change, on the thread that found out. */
    public void onRules(Consumer<DatabaseLayer> next) {
        rules.tell(next);
    }

    /** Whether the database answered when it was last asked. */
    public boolean isConnected() {
        return follower.isConnected();
    }

    /** The number of the last change that this node has seen; -1 before the first answer of the database. */
    public long version() {
        return follower.version();
    }

    /**
     * Writes a rule.
     *
     * @throws ChangeRefusedException if the precondition does not hold, or the database cannot hold it
     * @throws DatabaseException if the database is away
     */
    public Change putRule(
            Author author, String id, String domain, String body, Precondition precondition, boolean dryRun) {
        ColumnLimits.RULE_ID.require(id);
        ColumnLimits.DOMAIN.require(domain);
        return changes.make(author, FollowedRules.KIND, id, precondition, dryRun, RuleEdit.put(id, domain, body));
    }

    /** Takes a rule away; what it replaced in the files is in force again. */
    public Change deleteRule(Author author, String id, Precondition precondition, boolean dryRun) {
        return changes.make(author, FollowedRules.KIND, id, precondition, dryRun, RuleEdit.delete(id));
    }

    /** Writes what was agreed with a caller, in the place of what was agreed before. */
    public Change putQuota(Author author, StoredQuota quota, Precondition precondition, boolean dryRun) {
        ColumnLimits.API_KEY.require(quota.apiKey());
        if (quota.tier() != null) {
            ColumnLimits.TIER.require(quota.tier());
        }
        quota.overrides().forEach(each -> ColumnLimits.DESCRIPTOR.require(each.descriptor()));
        return changes.make(author, FollowedTable.QUOTA, quota.apiKey(), precondition, dryRun, QuotaEdit.put(quota));
    }

    /** Ends what was agreed with a caller. */
    public Change deleteQuota(Author author, String apiKey, Precondition precondition, boolean dryRun) {
        return changes.make(author, FollowedTable.QUOTA, apiKey, precondition, dryRun, QuotaEdit.delete(apiKey));
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

    private void allSwitched(List<SwitchChange> rows) {
        switches.wholeDatabase(rows);
        copying.soon();
    }

    private void switched(List<SwitchChange> rows) {
        switches.database(rows);
        copying.soon();
    }

    private void write(DatabaseCopy copy) throws IOException {
        copy.save(rules().rules(), quotas.all(), tokens.book().all(), switches.last());
    }

    @Override
    public void close() {
        switches.close();
        follower.close();
        copying.finish();
        timer.shutdownNow();
        tokens.close();
        database.close();
        files.close();
    }
}
