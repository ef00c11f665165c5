//! The cases of public bug reports, as far as they speak of configuration, assembly and `check`: what each says is right, and the tests
//! that hold it.
//!
//! Paths of tests begin with their module here, or with the crate whose tests hold what no file can express.
//!
//! - 01: every order of files and of their tools gives the same tools, in the same bytes
//!   - `cases::case_01::tools_come_in_one_order_whatever_the_files_say_first`
//!   - `cases::case_01::capitals_come_first_and_names_are_compared_by_their_code_units`
//!   - `dsh-system-prompt::cases::case_01_tools_have_one_order_whoever_starts_first`
//! - 01: a `tool_order` without the rest entry, with an entry twice, with an unknown tool is refused; `check` says so
//!   - `refused::a_tool_order_without_the_rest_entry_is_refused_at_load`
//!   - `refused::a_tool_order_with_a_tool_twice_is_refused_at_load`
//!   - `refused::a_tool_order_with_an_unknown_tool_is_refused_at_load`
//!   - `cases::case_01::check_says_what_is_wrong_with_an_order`
//! - 01: a listed tool that an agent does not see is no error for that agent
//!   - `agents::a_listed_tool_that_the_agent_does_not_see_is_no_error`
//!   - `cases::case_01::a_listed_tool_that_no_agent_sees_is_no_error`
//! - 02: other orders of keys and of sets give the same bytes; the order of properties is its author's, and kept across a reload
//!   - `cases::case_02::the_order_of_keys_and_of_sets_is_no_change`
//!   - `cases::case_02::properties_keep_the_order_in_which_they_are_written`
//!   - `dsh-llm::keep::a_server_that_reorders_keys_across_a_reconnect_gives_the_same_bytes`
//! - 02: arrays whose order means something stay, and another order of theirs is a change
//!   - `cases::case_02::arrays_whose_order_means_something_stay`
//!   - `dsh-llm::keep::another_order_of_an_enum_is_a_change`
//! - 02: numbers come out with the digits that they went in with
//!   - `cases::case_02::numbers_keep_their_digits`
//! - 03 a and d: single braces and an opening that nothing closes are bytes
//!   - `cases::case_03::braces_that_open_no_reference_are_bytes_wherever_they_stand`
//! - 03 c: doubled braces are refused with section, owner, line and column, and nothing is printed
//!   - `cases::case_03::doubled_braces_are_refused_with_section_owner_and_place`
//! - 03 e: the same text is kept where it is raw or quoted; `explain` marks it as literal, and it refers to nothing
//!   - `cases::case_03::the_same_text_is_fine_where_it_is_raw_or_quoted`
//!   - `cases::case_03::a_literal_section_refers_to_nothing`
//!   - `explain::a_raw_section_is_said_to_be_literal_and_nothing_in_it_is_mistaken_for_a_mark`
//! - 04: what hooks append does not accumulate; a failing one is told with its owner
//!   - `dsh-system-prompt::cases::case_04_what_hooks_append_does_not_accumulate`
//! - 04: nor over the turns of a session and its resumption; where one fails, nothing is sent
//!   - `dsh-harness::cases::case_04::the_prompt_of_every_turn_and_of_a_resumed_session_is_the_same`
//!   - `dsh-harness::cases::case_04::no_turn_reaches_back_into_the_registry`
//! - 04: a run leaves nothing for the next; of two sections of one name in a layer, the first stays, and an agent's own is no such one
//!   - `cases::case_04::fifty_runs_give_the_same_bytes_and_change_no_file`
//!   - `cases::case_04::of_two_sections_of_one_name_the_first_stays`
//! - 05: values are put in once, whatever is in them and in whichever order they are given
//!   - `cases::case_05::values_are_never_looked_at_again`
//! - 05: a variable that is unknown and one without a value are told apart, with section, owner and the nearest name
//!   - `cases::case_05::a_mistyped_name_gets_the_nearest_one`
//!   - `cases::case_05::a_variable_without_a_value_is_not_unknown`
//! - 05: names that are none are errors, and never a value
//!   - `cases::case_05::names_that_are_none_are_errors_and_never_a_value`
//! - 05: a section that renders to nothing goes, with its blank line
//!   - `cases::case_05::a_section_that_renders_to_nothing_goes_with_its_blank_line`
//! - 05: megabytes of braces come back as they are, in time that grows with them
//!   - `cases::case_05::a_megabyte_of_braces_comes_back_as_it_is`
//!   - `dsh-template::hostile::megabytes_that_nothing_closes_come_back_verbatim`
//! - 06: prose that names a tool which is kept from the agent is told once, with column and owner, for commands as for files of schemas
//!   - `cases::case_06::prose_that_names_a_command_tool_which_the_agent_cannot_see_is_told_once`
//!   - `cases::case_06::tools_of_files_and_of_the_registry_are_looked_for_alike`
//!   - `lints::a_text_that_names_a_tool_which_the_agent_cannot_see_is_told_once`
//!   - `dsh-prompt-report::unseen::case_06_a_denied_tool_that_prose_names_is_found_once`
//! - 06: what is sent agrees with what the last hook leaves, and what was not sent is not run
//!   - `dsh-harness::cases::case_06::a_tool_that_a_later_hook_drops_takes_its_guidance_along_and_is_not_run`
//!   - `dsh-harness::cases::case_06::a_tool_that_is_taken_out_of_the_request_is_not_run`
//!   - `dsh-tools::cases::case_06_a_hook_that_drops_the_tool_drops_its_guidance`
//! - 06: a call all the same is an error result that says so, and nothing is executed
//!   - `cases::case_06::a_denied_command_tool_is_not_run`
//!   - `dsh-harness::cases::case_06::a_denied_tool_is_in_no_request_of_that_agent_and_its_call_is_an_error_result`
//! - 11: each load is there once, and nothing of a plugin is left after the last, a late registration refused
//!   - `dsh-harness::cases::case_11::a_session_that_outlives_reloads_sees_each_load_once_and_nothing_after_the_last`
//!   - `dsh-system-prompt::cases::case_11_a_reload_leaves_nothing_and_a_late_registration_is_refused`
//!   - `dsh-tools::cases::case_11_nothing_of_a_reloaded_plugin_is_left`
//! - 11: what is under way when it leaves has all of it or nothing
//!   - `dsh-harness::cases::case_11::a_plugin_that_leaves_between_prompt_and_request_leaves_a_whole_request_and_runs_no_more`
//! - 12: no list, an empty one, allowed and denied, patterns
//!   - `cases::case_12::lists_choose_tools_in_both_forms`
//!   - `agents::allow_and_deny_choose_tools`
//!   - `agent_files::case_12_allow_and_deny_choose_tools`
//! - 12: an entry that matches no tool, and a list of a wrong type, are errors, and never all tools or some
//!   - `cases::case_12::what_is_wrong_in_a_list_gives_no_tools_at_all`
//!   - `agents::an_entry_that_matches_no_tool_is_an_error`
//!   - `agent_files::case_12_an_entry_that_matches_no_tool_is_an_error`
//!   - `agent_files::case_12_a_mistyped_list_is_an_error_and_never_all_tools`
//! - 12: every command shows the same set, and a call to a tool outside of it is refused
//!   - `cases::case_12::every_command_shows_the_same_tools`
//!   - `cases::case_12::what_is_shown_is_what_can_be_called`
//!   - `dsh-harness::cases::case_12::what_a_list_leaves_is_offered_and_runs_and_the_rest_does_neither`
//!   - `dsh-harness::cases::case_12::a_list_with_an_unknown_name_makes_no_agent`
//! - 13: marks and line ends are no difference, and what cannot be read is told and stops no other
//!   - `agent_files::case_13_what_can_be_read_loads_beside_what_cannot`
//!   - `agent_files::case_13_what_cannot_be_read_is_named_with_its_first_wrong_byte`
//!   - `agent_files::case_13_saving_with_other_line_ends_changes_nothing`
//!   - `cases::case_13::check_names_what_cannot_be_read_and_points_at_the_mark_inside`
//! - 14: a hostile folder comes into a prompt on one line, and so does a branch
//!   - `cases::case_14::a_hostile_folder_is_one_line_of_the_prompt`
//!   - `built_ins::a_hostile_name_of_a_branch_is_shown_with_its_hidden_characters_escaped`
//!   - `instructions::hidden_characters_in_the_names_of_folders_are_shown_as_escapes`
//!   - `dsh-system-prompt::run_facts::case_14_the_working_folder_comes_into_the_prompt_on_one_line`
//! - 14: `check` lists what a description hides, with offsets, and lets ordinary writing pass
//!   - `cases::case_14::check_lists_what_a_description_hides`
//!   - `lints::joiners_that_writing_needs_are_fine`
//! - 14: names of the same kind are shown escaped by every command
//!   - `cases::case_14::hostile_names_are_shown_escaped_by_every_command`
//!   - `lints::the_path_of_a_file_is_shown_with_them_escaped`

mod case_01;
mod case_02;
mod case_03;
mod case_04;
mod case_05;
mod case_06;
mod case_12;
mod case_13;
mod case_14;

use crate::support::{ListedRow, listed};

#[test]
fn every_test_that_the_list_names_is_there() {
    let rows = listed(include_str!("cases.rs"));
    for case in ["01", "02", "03", "04", "05", "06", "11", "12", "13", "14"] {
        assert!(rows.iter().any(|row| row.what.starts_with(case)), "case {case}");
    }
    rows.iter().for_each(ListedRow::is_there);
}
