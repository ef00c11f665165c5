//! The figures as JSON, for programs.

use dsh_kernel::Failure;
use serde_json::{Map, Value};

use crate::row::{Row, Unit};

/// One object with `rows`. Where `against` is null, the target is a limit for ours; else it is one for the ratio.
pub(crate) fn json(rows: &[Row]) -> Result<String, Failure> {
    let rows: Vec<Value> = rows.iter().map(|row| Value::Object(object(row))).collect();
    let whole = Map::from_iter([("rows".to_owned(), rows.into())]);
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

fn object(row: &Row) -> Map<String, Value> {
    let measured = row.measured.as_ref().ok();
    let rounded = |value: f64| -> Value { format!("{value:.6}").parse::<f64>().unwrap_or(value).into() };
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    put("id", row.id.into());
    put("what", row.what.into());
    put("ours_ns", measured.map(|measured| rounded(measured.ours.median)).into());
    put("against", row.against.into());
    put("theirs_ns", measured.and_then(|measured| measured.theirs).map(|theirs| rounded(theirs.median)).into());
    put("ratio", row.ratio().map(|ratio| rounded(ratio.median)).into());
    put("target", row.target.map(|target| rounded(target.number())).into());
    put("holds", row.holds().into());
    if row.unit != Unit::Nanoseconds {
        put("unit", row.unit.name().into());
    }
    if !row.curve.is_empty() {
        let points = row.curve.iter().map(|(size, time)| Value::from(vec![Value::from(*size), rounded(*time)]));
        put("curve", points.collect::<Vec<_>>().into());
    }
    if let Some(why) = &row.unjudged {
        put("unjudged", why.as_str().into());
    }
    if let Err(why) = &row.measured {
        put("skipped", why.as_str().into());
    }
    object
}
