//! Days and moments of the calendar, in UTC.

/// A day has so many seconds.
pub(crate) const SECONDS_A_DAY: u64 = 86_400;

/// The day that is so many days after the first of 1970, as `YYYY-MM-DD`.
///
/// Years begin in March here, so that a leap day is a year's last; 400 years have 146,097 days, and then everything comes again.
pub(crate) fn day(days: u64) -> String {
    let days = days + 719_468; // from the first of March of the year 0 to 1970
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

/// The minute of so many milliseconds after the beginning of 1970, as `YYYY-MM-DD HH:MM`.
pub(crate) fn minute(millis: u64) -> String {
    let seconds = millis / 1_000;
    let (days, rest) = (seconds / SECONDS_A_DAY, seconds % SECONDS_A_DAY);
    format!("{} {:02}:{:02}", day(days), rest / 3_600, rest % 3_600 / 60)
}

#[cfg(test)]
mod tests {
    use super::{day, minute};

    #[test]
    fn days_are_those_of_the_calendar() {
        let right = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_088, "2024-12-31"),
            (20_089, "2025-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (2_932_896, "9999-12-31"),
        ];
        for (days, date) in right {
            assert_eq!(day(days), date);
        }
    }

    #[test]
    fn each_day_is_the_one_after_the_day_before() {
        let lengths = |year: u64| {
            let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            [31, 28 + u64::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        };
        let dates = (1970..2410).flat_map(|year| {
            let months = lengths(year).into_iter().zip(1..);
            months
                .flat_map(move |(length, month)| (1..=length).map(move |day| format!("{year:04}-{month:02}-{day:02}")))
        });
        for (days, date) in (0..).zip(dates) {
            assert_eq!(day(days), date);
        }
    }

    #[test]
    fn a_minute_is_that_of_the_day() {
        assert_eq!(minute(0), "1970-01-01 00:00");
        assert_eq!(minute(1_735_689_599_999), "2024-12-31 23:59");
        assert_eq!(minute(1_735_689_600_000), "2025-01-01 00:00");
    }
}
