/** Text that people write, for Weir's own modules: YAML with positions, fields, durations, and messages that name a mistake. */
@SuppressWarnings("module") // the modules that use it are compiled after this one
module dev.weir.text {
    requires org.snakeyaml.engine;
    requires static org.jspecify;

    exports dev.weir.text.diagnostics to
            dev.weir.rules;
    exports dev.weir.text.fields to
            dev.weir.rules;
    exports dev.weir.text.message to
            dev.weir.rules,
            dev.weir.spring;
    exports dev.weir.text.yaml to
            dev.weir.rules;
}
