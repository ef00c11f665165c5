//! The files under `rules/`, each built into the program under its code.

/// Makes the table of these areas and names.
macro_rules! texts {
    ($($area:ident { $($name:ident)* })*) => {
        &[$($((
            concat!(stringify!($area), "::", stringify!($name)),
            include_str!(concat!("../../rules/", stringify!($area), "/", stringify!($name), ".md")),
        ),)*)*]
    };
}

/// Every code with its text, by code. A test compares the table with the folder.
pub(super) const TEXTS: &[(&str, &str)] = texts! {
    agent {
        calls_cut
        cancelled
        driver_failed
        duplicate_agent
        duplicate_factory
        limit
        model_panicked
        no_factory
        no_session_id
        no_summary
        panicked
        session_chosen
        stopped
        unscoped
    }
    agents {
        long_front_matter
        no_front_matter
        not_yaml
        unclosed_front_matter
        unknown_key
    }
    check {
        equal_order
        hidden_character
        unseen_tool
        unused_variable
    }
    cli {
        bad_config
        input_lost
        no_interrupts
        no_message
        no_model
        no_runtime
        not_a_folder
        output_lost
        source_date
        unknown_agent
        unknown_command
        unknown_name
        unknown_profile
        unknown_rule
        unknown_topic
        wrong_words
    }
    command {
        empty_command
        invalid_word
        not_executable
        not_found
        not_started
    }
    config {
        conflicting_keys
        defaults
        duplicate_agent
        include_cycle
        invalid_value
        misplaced_key
        missing_key
        not_toml
        own_folder
        passed_over
        too_many_includes
        unknown_agent
        unknown_key
        unknown_tool
        unmatched_pattern
        unmatched_permission
        unmet_requirement
        wrong_type
    }
    file {
        missing
        name_not_utf8
        not_a_file
        not_a_folder
        not_utf8
        outside
        process_information
        roundabout_path
        too_large
        too_many
        too_much
        unreadable
        utf16
    }
    init {
        above
        exists
        not_written
        unread
    }
    instructions {
        shadowed
        too_large
    }
    kernel {
        body_failed
        disposed
        duplicate_service
        foreign_disposer
        inactive
        injection_cycle
        links_failed
        listener_failed
        missing_provider
        missing_service
        reentrant
        service_type
        start_failed
        undeclared_service
        unfinished
    }
    llm {
        duplicate_key
        invalid_tool_description
        invalid_tool_name
        invalid_tool_parameters
        json_syntax
        lone_surrogate
        not_a_tool_list
        number_out_of_range
        too_deep
    }
    man {
        exists
        not_written
    }
    model {
        broken_stream
        context_too_long
        invalid_request
        network
        no_rule
        other
        overloaded
        rate_limited
        unauthorized
    }
    prompt {
        duplicate_section
        duplicate_tool
        duplicate_variable
        invalid_order
        invalid_variable_name
        malformed_reference
        provider_failed
        reserved_tool_name
        too_large
        tool_order_duplicate
        tool_order_missing_rest
        tool_order_unknown
        unclosed_reference
        unknown_variable
        unsettled
        valueless_variable
    }
    run {
        cut_off
        ended
        failed
        left_out
        limit
        not_approved
        refused
    }
    script {
        invalid_rule
        syntax
    }
    session {
        already_entered
        ambiguous
        broken
        corrupt
        detached
        exists
        interrupted
        invalid_id
        invalid_message
        invalid_utf8
        io
        locked
        lone_surrogates
        newer_version
        no_folder
        no_line_end
        not_a_file
        not_found
        not_named
        not_rebuilt
        of_another
        open_to_others
        out_of_place
        stray_option
        torn_end
        turn_not_ended
        unknown_event
    }
    subagent {
        duplicate_provider
        invalid_output_schema
        no_parent
        no_provider
        provider_failed
        provider_panicked
        too_deep
        too_many
        unsupported_capability
    }
    template {
        malformed_reference
        unknown_variable
        valueless_variable
    }
    tools {
        blocked
        cancelled
        circular_bound
        denied
        duplicate_tool
        empty_filter
        failed
        hook_failed
        invalid_arguments
        invalid_schema
        no_approver
        not_an_object
        panicked
        partial_list
        reserved_name
        schema_alone
        scope_closed
        timed_out
        unavailable
        unknown_field
        unknown_tool
        unloaded
        unscoped_restriction
        unusual_name
    }
    trust {
        damaged_record
        hash_differs
        needed
        no_terminal
        not_stored
        untrusted
    }
};
