//! Bad input, and what it gets: every row, in its order, with the tests that hold it.
//!
//! Each test is a snapshot of what a person reads, its exit status included. Rows whose tests stand elsewhere name them there. Below
//! this file are the tests of the rows that no other file has, and those of all rows together: [`every_command`] runs each row's project
//! ([`rows`]) through every command that reads a project, [`pipes`] takes the reader away from every command that prints, [`random`]
//! feeds bytes that nobody thought of.
//!
//! - unknown key
//!   - `bad_values::an_unknown_key_gets_the_nearest_right_one`
//!   - `bad_values::a_key_that_resembles_none_gets_all_of_them`
//!   - `layers::a_mistake_in_an_included_file_is_shown_there`
//!   - `layers::a_mistake_in_a_profile_that_was_not_chosen_is_told_and_stops_nothing`
//!   - `agent_files::an_unknown_key_is_a_warning_with_the_nearest_right_one`
//! - wrong type
//!   - `bad_values::a_wrong_type_is_told_with_what_was_found`
//!   - `bad_values::what_is_written_as_another_kind_of_table_is_told_how`
//!   - `bad_input::config::a_value_in_place_of_a_table_is_told_how_the_table_is_written`
//!   - `variables::mistakes_in_variables_get_a_diagnostic_each`
//!   - `instructions::what_stands_in_the_table_is_checked`
//!   - `agent_files::values_of_other_types_are_told_at_their_places`
//! - not TOML
//!   - `bad_values::a_file_that_is_not_toml_is_wrong_use`
//!   - `bad_input::config::what_is_not_toml_is_told_how_it_is_written`
//!   - `bad_input::config::a_table_given_twice_is_shown_with_its_first_place`
//!   - `bad_input::config::what_nests_beyond_measure_is_told_and_overflows_nothing`
//!   - `check::a_file_that_is_not_toml_is_found_in_every_format_and_ends_with_2`
//! - missing file
//!   - `bad_files::a_missing_file_is_shown_where_it_is_named`
//!   - `bad_files::links_that_lead_nowhere_say_so`
//! - file outside the folder
//!   - `bad_files::a_path_that_leaves_the_folder_is_refused`
//!   - `bad_files::allow_outside_holds_in_its_own_table_alone`
//!   - `layers::an_include_that_leads_out_is_refused_and_may_be_allowed`
//! - link out of the folder
//!   - `bad_files::a_link_that_leaves_the_folder_is_refused`
//!   - `bad_files::a_configuration_that_is_a_link_out_of_the_folder_is_refused`
//!   - `agent_files::unix::links_that_lead_out_are_refused_and_those_inside_followed`
//!   - `instructions::a_link_that_leads_out_of_the_repository_is_refused_unless_allowed`
//! - link swapped between check and open
//!   - `bad_input::files::a_link_that_is_swapped_while_dsh_runs_never_leads_out`
//! - folder or pipe where a file is meant
//!   - `bad_files::a_folder_is_no_file`
//!   - `bad_files::a_named_pipe_is_no_file_and_nobody_waits_for_it`
//!   - `bad_files::a_configuration_that_is_a_folder_or_a_pipe_is_wrong_use`
//!   - `bad_input::files::a_folder_and_a_pipe_are_told_wherever_a_file_can_be_named`
//!   - `bad_input::files::a_configuration_that_is_a_pipe_is_wrong_use_for_every_command`
//!   - `agent_files::unix::a_pipe_of_an_agents_name_is_told_and_nobody_waits_for_it`
//!   - `instructions::what_is_no_file_is_told_and_nobody_waits_for_it`
//! - invalid UTF-8
//!   - `bad_files::bytes_that_are_not_utf_8_are_told_by_their_offset`
//!   - `bad_files::a_configuration_that_is_not_utf_8_is_wrong_use`
//!   - `bad_input::files::files_of_every_kind_that_are_no_text_are_told_by_their_first_wrong_byte`
//!   - `instructions::bytes_that_are_no_text_are_told_by_their_offset`
//! - UTF-16
//!   - `bad_files::utf_16_is_named`
//!   - `bad_input::files::a_configuration_in_utf_16_is_wrong_use`
//!   - `bad_input::files::files_of_every_kind_that_are_no_text_are_told_by_their_first_wrong_byte`
//! - too large
//!   - `bad_files::a_file_beyond_the_limit_is_not_read`
//!   - `bad_files::a_configuration_that_is_too_large_is_told_what_to_do`
//!   - `bad_input::files::a_schema_file_beyond_its_own_limit_is_not_read`
//!   - `limits::files_of_more_than_the_limit_together_are_refused_once`
//!   - `instructions::more_than_the_limit_is_refused_with_the_sizes`
//! - byte order mark and CRLF
//!   - `bad_files::a_mark_goes_and_line_ends_are_one_kind`
//!   - `bad_files::a_configuration_with_a_mark_and_crlf_reads_the_same`
//!   - `bad_input::files::a_mark_and_crlf_change_no_place_that_is_told`
//!   - `agent_files::case_13_saving_with_other_line_ends_changes_nothing`
//!   - `instructions::a_mark_goes_and_lines_end_with_lf`
//! - duplicate section
//!   - `bad_values::two_sections_of_one_name_are_both_shown`
//!   - `refused::a_section_with_a_name_that_the_harness_keeps_is_refused`
//!   - `instructions::a_section_that_takes_its_name_is_refused`
//! - duplicate tool in two schema files
//!   - `bad_files::two_tools_of_one_name_are_both_shown`
//! - tool order with a typo
//!   - `refused::a_tool_order_with_an_unknown_tool_is_refused_at_load`
//!   - `bad_input::tools::a_mistyped_rest_entry_is_shown_with_the_right_one`
//! - no rest entry or two
//!   - `refused::a_tool_order_without_the_rest_entry_is_refused_at_load`
//!   - `bad_input::tools::two_rest_entries_are_both_shown`
//! - unknown variable
//!   - `refused::an_unknown_variable_is_shown_in_the_inline_text_with_the_nearest`
//!   - `refused::an_unknown_variable_is_shown_in_the_file_it_stands_in`
//! - variable without value
//!   - `refused::an_agents_own_text_is_shown_with_its_owner`
//!   - `variables::a_variable_of_an_untrusted_folder_without_a_default_has_no_value`
//!   - `variables::what_is_not_set_has_no_value_and_is_told_how`
//! - `{{ model }}`
//!   - `bad_input::texts::blanks_within_the_braces_are_refused_with_the_right_writing`
//! - `{{{x}}}`
//!   - `bad_input::texts::three_braces_are_refused_with_both_right_writings`
//! - unbalanced braces
//!   - `bad_input::texts::unbalanced_braces_are_refused_or_told_as_prose`
//!   - `warnings::a_reference_that_is_never_closed_is_told`
//! - persona with literal JSON
//!   - `bad_input::texts::a_persona_with_literal_json_is_kept_and_doubled_braces_are_told`
//! - empty configuration
//!   - `streams::an_empty_configuration_is_fine`
//!   - `bad_input::config::a_configuration_that_says_nothing_is_one`
//! - no configuration
//!   - `streams::without_a_configuration_the_defaults_hold_and_a_note_says_so`
//!   - `check::without_a_configuration_the_defaults_are_checked`
//!   - `bad_input::config::without_a_configuration_every_command_names_init`
//!   - `streams::a_folder_without_a_configuration_names_the_nearest_above`
//! - configuration named and missing
//!   - `streams::a_dir_that_is_no_folder_is_wrong_use`
//!   - `bad_input::config::a_configuration_that_is_named_and_missing_is_wrong_use_for_every_command`
//!   - `layers::an_included_file_that_is_missing_or_no_toml_is_wrong_use`
//!   - `layers::a_profile_is_laid_over_the_rest_where_it_is_chosen`
//! - tool schema that is not an object
//!   - `bad_files::tool_schemas_are_read_with_their_mistakes_in_place`
//!   - `bad_input::tools::what_is_no_schema_of_a_tool_is_told_where_it_stands`
//! - tool without a name
//!   - `bad_files::tool_schemas_are_read_with_their_mistakes_in_place`
//!   - `bad_input::tools::a_tool_without_a_name_is_told_by_its_number`
//! - include cycle
//!   - `layers::files_that_include_each_other_are_named`
//! - output into a closed pipe
//!   - `bad_input::pipes::a_closed_pipe_is_quiet_for_every_command`
//!   - `streams::a_closed_pipe_is_quiet`
//!   - `check::a_closed_pipe_is_quiet`
//!   - `explain::a_closed_pipe_is_quiet`
//! - read-only folder for init
//!   - `init::a_folder_that_cannot_be_written_gets_nothing`
//!   - `bad_input::pipes::init_on_a_full_disk_leaves_nothing_half_written`
//! - init where a file exists
//!   - `init::nothing_that_is_there_is_changed`
//!   - `init::a_link_counts_as_there_even_where_it_leads_nowhere`
//! - ten mistakes in one file
//!   - `bad_values::ten_mistakes_get_ten_diagnostics`
//!   - `bad_input::config::ten_mistakes_are_ten_in_check_too`
//! - two broken agents of three
//!   - `agents::two_broken_agents_of_three_do_not_keep_the_third_from_printing`
//!   - `agent_files::two_broken_files_of_three_do_not_keep_the_third_from_printing`
//!   - `bad_input::config::two_broken_agents_of_three_are_both_told_by_check`

mod config;
mod every_command;
mod files;
mod pipes;
mod random;
mod rows;
mod texts;
mod tools;

use crate::support::{ListedRow, listed};

/// This file, whose head is the list.
const SOURCE: &str = include_str!("bad_input.rs");

#[test]
fn every_test_that_the_list_names_is_there() {
    let rows = listed(SOURCE);
    assert_eq!(rows.len(), 33);
    rows.iter().for_each(ListedRow::is_there);
}

#[test]
fn every_row_that_is_a_project_is_run_through_every_command() {
    // The others are about what a command writes, or about what happens while it runs.
    let no_project = ["link swapped between check and open", "output into a closed pipe", "read-only folder for init"];
    let rows = rows::rows();
    let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    names.dedup();
    let expected: Vec<&str> =
        listed(SOURCE).iter().map(|row| row.what).filter(|row| !no_project.contains(row)).collect();
    assert_eq!(names, expected);
}
