//! The ten promises, each with the tests that verify it. `tests/crash.sh` runs the long tests for longer.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::Path;

/// The promises, and the tests of each, as file and function.
const PROMISES: [(&str, &[&str]); 10] = [
    (
        "1. A crash is a pause: killed at any moment and taken up again, a run over files leaves the same bytes; a feed that is \
         sent again is answered once",
        &[
            "crash::a_crash_is_a_pause",
            "feeds::what_is_sent_again_is_passed_over",
            "feeds::records_up_to_the_last_number_are_skipped_and_counted",
            "state::a_run_that_broke_off_is_not_begun_again_by_mistake",
        ],
    ),
    (
        "2. Power loss costs only what was not synced, and leaves a prefix",
        &[
            "crash::a_crash_is_a_pause",
            "crash::what_was_answered_is_synced_while_nothing_comes",
            "faults::power_loss_costs_what_the_mode_says",
        ],
    ),
    (
        "3. Damaged state is found, named, never guessed",
        &[
            "crash::what_is_damaged_is_refused_wherever_it_is",
            "crash::a_torn_tail_is_cut_off_and_told",
            "crash::what_is_intact_can_be_kept",
            "state::only_what_fits_together_goes_on",
        ],
    ),
    (
        "4. A full disk or a failing output stops it cleanly",
        &[
            "crash::a_full_disk_stops_it_cleanly",
            "stream::a_full_disk_is_a_failure",
            "files::only_the_reader_of_the_output_may_go_quietly",
            "files::the_first_error_is_the_one_that_is_told",
            "faults::a_write_or_a_sync_that_fails_stops_it_cleanly",
            "faults::writes_may_be_short",
        ],
    ),
    (
        "5. A closed or slow reader is no disaster",
        &[
            "stream::a_reader_that_goes_away_is_no_failure",
            "stream::behind_a_reader_that_does_not_read_memory_is_bounded_and_a_signal_still_ends_it",
            "stream::signals_end_it_after_everything_is_answered",
        ],
    ),
    (
        "6. Any bytes in, no crash; untouched lines out",
        &[
            "input::records_that_cannot_be_judged",
            "input::records_that_are_odd_and_can_be_judged",
            "input::lines_leave_as_they_came",
            "input::a_line_of_100_mb_takes_no_memory",
            "fuzz::no_bytes_break_anything",
        ],
    ),
    (
        "7. Same input, same output",
        &[
            "same_output::for_any_number_of_threads",
            "same_output::for_any_way_of_writing_the_input",
            "same_output::for_any_split_into_files",
            "same_output::whichever_structure_knows_the_exact_repeats",
            "hostile::any_seed_gives_the_same_output",
            "state::runs_over_parts_are_one_run",
        ],
    ),
    (
        "8. Time and order never corrupt",
        &[
            "window::of_time",
            "window::times_that_were_not_taken_as_they_stood_are_counted",
            "late::what_comes_late_is_counted_and_within_the_lateness_changes_nothing",
        ],
    ),
    ("9. One writer", &["state::one_writes_and_the_lock_dies_with_it"]),
    (
        "10. Enemies cost linear time and bounded memory",
        &[
            "hostile::floods_lose_nothing",
            "hostile::long_texts_are_read_in_one_go",
            "hostile::no_line_takes_more_memory_than_its_length",
            "hostile::a_state_has_a_seed_of_its_own_and_keeps_it",
            "window::memory_that_is_full_ends_the_run_where_that_is_asked_for",
        ],
    ),
];

/// The folders of tests.
const FOLDERS: [&str; 5] = ["command", "feed", "job", "library", "traps"];

#[test]
fn each_promise_has_its_tests() {
    let tests_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (promise, tests) in PROMISES {
        for test in tests {
            let (file, name) = test.split_once("::").unwrap();
            let mut places = FOLDERS.iter().map(|folder| tests_folder.join(folder).join(file).with_extension("rs"));
            let path = places.find(|path| path.exists());
            let path = path.unwrap_or_else(|| panic!("{promise}: there is no {file}.rs"));
            let code = fs::read_to_string(path).unwrap();
            assert!(code.contains(&format!("\nfn {name}() {{")), "{promise}: there is no {test}");
        }
    }
}
