//! Records that cannot be used, and places that take none. Whatever is wrong, the folder is then untrusted.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::{CONFIG, SECRET, Scene};
use crate::support::{Project, Run, command, ran, reads};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A trusted folder whose record was then damaged in this way.
fn damaged(damage: impl FnOnce(&Path)) -> Scene {
    let scene = Scene::new(CONFIG);
    scene.trust();
    damage(&scene.record());
    scene
}

/// The folder is untrusted, the warning says why, and trusting it mends that.
#[track_caller]
fn is_untrusted_and_mended(scene: &Scene, why: &str) {
    let run = scene.dsh(&["prompt"]);
    assert_eq!(run.status, Some(0), "{run}");
    assert!(!run.stdout.contains(SECRET), "{run}");
    let headline = format!("the record of this folder's trust cannot be used: {why}\n");
    assert!(run.stderr.contains("warning[trust::damaged_record]") && run.stderr.contains(&headline), "{run}");
    scene.trust();
    assert_eq!(scene.status(), "trusted");
}

#[test]
fn a_record_that_was_cut_off_is_told_with_what_to_do() {
    let scene = damaged(|record| fs::write(record, "dsh trust record 1\npath ").unwrap());
    let run = scene.dsh(&["prompt"]);
    let record = scene.record();
    let mut run = scene.without_folder(run);
    run.stderr = run.stderr.replace(record.file_name().unwrap().to_str().unwrap(), "RECORD");
    reads!(run);
    is_untrusted_and_mended(&scene, "it is cut off or has been changed");
}

#[test]
fn damage_of_every_kind_is_no_trust() {
    let text = |record: &Path| String::from_utf8(fs::read(record).unwrap()).unwrap();
    is_untrusted_and_mended(&damaged(|record| fs::write(record, "").unwrap()), "it is empty");
    is_untrusted_and_mended(&damaged(|record| fs::write(record, b"\xff\xfe").unwrap()), "it is not text");
    is_untrusted_and_mended(&damaged(|record| fs::write(record, "trusted\n").unwrap()), "it is no record");
    is_untrusted_and_mended(
        &damaged(|record| fs::write(record, text(record).replace("project\n", "other\n")).unwrap()),
        "it is the record of another folder",
    );
    is_untrusted_and_mended(
        &damaged(|record| fs::write(record, text(record).replace("record 1", "record 2")).unwrap()),
        "it has a form that this version of dsh does not know",
    );
    is_untrusted_and_mended(
        &damaged(|record| fs::write(record, format!("{}x\n", text(record))).unwrap()),
        "it is cut off or has been changed",
    );
    is_untrusted_and_mended(&damaged(|record| fs::write(record, vec![b'x'; 1 << 17]).unwrap()), "it is too large");
}

#[test]
fn a_record_that_is_a_link_is_not_followed_and_not_written_through() {
    let scene = damaged(|record| {
        let copy = record.with_file_name("copy");
        fs::rename(record, &copy).unwrap();
        symlink(&copy, record).unwrap();
    });
    let copy = scene.state().join("dsh/trust/copy");
    fs::write(&copy, "kept").unwrap();
    is_untrusted_and_mended(&scene, "it is a link");
    assert_eq!(fs::read(copy).unwrap(), b"kept");
}

#[test]
fn a_record_that_is_a_pipe_is_not_waited_for() {
    let scene = damaged(|record| {
        fs::remove_file(record).unwrap();
        assert!(Command::new("mkfifo").args(["-m", "600"]).arg(record).status().unwrap().success());
    });
    is_untrusted_and_mended(&scene, "it is not a regular file");
}

#[test]
fn a_record_that_others_can_reach_is_no_record() {
    is_untrusted_and_mended(&damaged(|record| set_mode(record, 0o644)), "others have rights to it");
    let scene = damaged(|record| set_mode(record.parent().unwrap(), 0o777));
    is_untrusted_and_mended(&scene, "others may write into its folder");
    assert_eq!(mode(&scene.state().join("dsh/trust")), 0o700);
    // It can be taken back without being mended.
    let scene = damaged(|record| set_mode(record.parent().unwrap(), 0o777));
    assert_eq!(scene.dsh(&["trust", "--revoke"]).stderr, "This folder is no longer trusted.\n");
    assert_eq!(scene.records().len(), 0);
}

#[test]
fn what_is_stored_is_the_users_alone() {
    let scene = damaged(|_| {});
    assert_eq!(mode(&scene.record()), 0o600);
    for folder in ["", "dsh", "dsh/trust"] {
        assert_eq!(mode(&scene.state().join(folder)), 0o700, "{folder}");
    }
}

#[test]
fn a_record_that_is_a_folder_is_told_and_left_alone() {
    let scene = damaged(|record| {
        fs::remove_file(record).unwrap();
        fs::create_dir(record).unwrap();
        set_mode(record, 0o700);
    });
    assert!(scene.dsh(&["prompt"]).stderr.contains("it is not a regular file"));
    let run = scene.dsh(&["trust", "--trust", &scene.hash()]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("error[trust::not_stored]: the trust is not stored: it cannot be written: "), "{run}");
    scene.record();
}

#[test]
fn a_damaged_record_is_no_matter_where_nothing_is_asked_for() {
    let mut scene = damaged(|record| fs::write(record, "").unwrap());
    scene.project = scene.project.file("dsh.toml", "persona = \"p\"\n");
    let run = scene.dsh(&["prompt"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
}

#[test]
fn without_a_place_nothing_is_stored_and_that_is_said() {
    let scene = Scene::new(CONFIG);
    let hash = scene.hash();
    let mut nowhere = command();
    nowhere.current_dir(scene.project.path()).args(["trust", "--trust", &hash]);
    reads!(ran(&mut nowhere));
    assert_eq!(ran(command().current_dir(scene.project.path()).args(["trust", "--revoke"])).status, Some(0));
    // A path that is not absolute is none.
    nowhere.env("XDG_STATE_HOME", "state").env("HOME", ".");
    assert_eq!(ran(&mut nowhere).status, Some(1));
    assert!(!scene.project.path().join("state").exists());
}

#[test]
fn the_state_folder_is_found_in_the_home() {
    let scene = Scene::new(CONFIG);
    let home = scene.project.path().with_file_name("home");
    let hash = scene.hash();
    let mut trust = scene.command(&["trust", "--trust", &hash]);
    assert_eq!(ran(trust.env_remove("XDG_STATE_HOME").env("HOME", &home)).status, Some(0));
    assert!(home.join(".local/state/dsh/trust").is_dir());
}

#[test]
fn a_project_cannot_bring_its_own_record() {
    // C4: as where a container has its project for a home.
    let scene = damaged(|_| {});
    let folder = scene.project.path().join(".local/state/dsh");
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::rename(scene.state().join("dsh"), &folder).unwrap();
    let at_home = |arguments: &[&str]| {
        let mut command = scene.command(arguments);
        ran(command.env_remove("XDG_STATE_HOME").env("HOME", scene.project.path()))
    };
    let run = at_home(&["prompt"]);
    assert!(!run.stdout.contains(SECRET) && run.stderr.contains("note[trust::untrusted]"), "{run}");
    reads!(scene.without_folder(at_home(&["trust", "--trust", &scene.hash()])));
    // Nor by a link that leads into it.
    symlink(scene.project.path().join(".local/state"), scene.state().with_file_name("link")).unwrap();
    let mut by_link = scene.command(&["prompt"]);
    let run = ran(by_link.env("XDG_STATE_HOME", scene.state().with_file_name("link")));
    assert!(!run.stdout.contains(SECRET), "{run}");
}

#[test]
fn a_project_cannot_bring_the_users_own_configuration() {
    // C4: as above.
    let scene = Scene::new("persona = \"{{token}}\"");
    let own = scene.project.path().join(".config/dsh");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("config.toml"), "[variables]\ntoken = { env = \"TOKEN\", default = \"none\" }\n").unwrap();
    let at_home = |arguments: &[&str]| {
        let mut command = scene.command(arguments);
        ran(command.env_remove("XDG_CONFIG_HOME").env("HOME", scene.project.path()))
    };
    let run = at_home(&["prompt"]);
    assert!(run.stdout.ends_with("\n\nnone\n") && run.stderr.contains("note[trust::untrusted]"), "{run}");
    assert!(at_home(&["trust"]).stdout.contains("environment variable `TOKEN`"));
}

/// A repository with a project in it, and with its own folders of configuration and state for a user whose home is the repository.
fn repository_at_home(config: &str, own: &str) -> (Scene, impl Fn(&Scene, &[&str]) -> Run) {
    let scene =
        Scene { project: Project::new("").file("service/dsh.toml", config).file(".config/dsh/config.toml", own) };
    fs::create_dir(scene.project.path().join(".git")).unwrap();
    let at_home = |scene: &Scene, arguments: &[&str]| {
        let home = scene.project.path();
        let mut command = scene.command(arguments);
        command.current_dir(home.join("service")).env("HOME", &home);
        ran(command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME"))
    };
    (scene, at_home)
}

#[test]
fn a_repository_cannot_bring_the_record_of_a_project_in_it() {
    // C4: as where a container has the repository for a home.
    let (scene, at_home) = repository_at_home(CONFIG, "");
    let hash = at_home(&scene, &["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let run = at_home(&scene, &["trust", "--trust", &hash]);
    assert!(run.status == Some(1) && run.stderr.contains("in the project's own folder or repository"), "{run}");
    // Made while the repository was none, and checked in.
    fs::rename(scene.project.path().join(".git"), scene.project.path().join("git")).unwrap();
    assert_eq!(at_home(&scene, &["trust", "--trust", &hash]).status, Some(0));
    assert!(at_home(&scene, &["prompt"]).stdout.contains(SECRET));
    fs::rename(scene.project.path().join("git"), scene.project.path().join(".git")).unwrap();
    let run = at_home(&scene, &["prompt"]);
    assert!(!run.stdout.contains(SECRET) && run.stderr.contains("note[trust::untrusted]"), "{run}");
    // A project that is a repository of its own came from elsewhere.
    fs::create_dir(scene.project.path().join("service/.git")).unwrap();
    fs::write(scene.project.path().join("service/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(at_home(&scene, &["prompt"]).stdout.contains(SECRET));
}

#[test]
fn a_repository_cannot_bring_the_users_own_configuration() {
    // C4: as above.
    let own = "[variables]\ntoken = { env = \"TOKEN\", default = \"none\" }\n";
    let (scene, at_home) = repository_at_home("persona = \"{{token}}\"", own);
    let run = at_home(&scene, &["prompt"]);
    assert!(run.stdout.ends_with("\n\nnone\n") && run.stderr.contains("note[trust::untrusted]"), "{run}");
    assert!(at_home(&scene, &["trust"]).stdout.contains("environment variable `TOKEN`"));
    fs::create_dir(scene.project.path().join("service/.git")).unwrap();
    fs::write(scene.project.path().join("service/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(at_home(&scene, &["prompt"]).stdout.contains(SECRET));
}

#[test]
fn a_link_out_of_a_repository_brings_no_configuration_of_the_users_own() {
    // C4
    let own = "identity = false\npersona = \"{{v}}\"\n[variables]\nv = { env = \"TOKEN\", default = \"default\" }\n";
    let project = Project::empty()
        .file("outer/.git/HEAD", "ref: refs/heads/main\n")
        .file("outer/cfg/dsh/config.toml", own)
        .file("outer/deep/cut/dsh.toml", "")
        .file("outer/deep/cut/.git", "gitdir: nowhere\n")
        .file("else/dsh.toml", "");
    symlink("../else", project.path().join("outer/sub")).unwrap();
    let run = |folder: &str, pwd: &str, arguments: &[&str]| {
        let mut command = project.command();
        command.env("XDG_CONFIG_HOME", project.path().join("outer/cfg")).env("TOKEN", SECRET);
        command.current_dir(project.path().join(folder)).env("PWD", project.path().join(pwd));
        ran(command.arg("prompt").args(arguments))
    };
    for (folder, pwd, arguments) in [
        (".", ".", &["--dir", "outer/sub"][..]),
        ("outer/sub", "outer/sub", &[]),
        (".", ".", &["--dir", "outer/deep/cut"]),
    ] {
        assert_eq!(run(folder, pwd, arguments).stdout, "default\n", "{folder} {arguments:?}");
    }
    // Who has not gone through the repository has nothing of it.
    assert_eq!(run("else", "else", &[]).stdout, format!("{SECRET}\n"));
}

#[test]
fn a_link_of_the_users_own_into_the_project_makes_the_project_no_user() {
    // C4
    let scene = Scene { project: Project::new("persona = \"{{token}}\"").user_config("") };
    let project = scene.project.path();
    fs::write(project.join("own.toml"), "[variables]\ntoken = { env = \"TOKEN\", default = \"none\" }\n").unwrap();
    let own = scene.project.user_folder().join("config.toml");
    fs::remove_file(&own).unwrap();
    symlink(project.join("own.toml"), own).unwrap();
    let run = scene.dsh(&["prompt"]);
    assert!(!run.stdout.contains(SECRET) && run.stderr.contains("note[trust::untrusted]"), "{run}");
}

#[test]
fn a_state_folder_that_takes_nothing_is_told() {
    let scene = Scene::new(CONFIG);
    fs::write(scene.state(), "a file").unwrap();
    reads!(scene.without_folder(scene.dsh(&["trust", "--trust", &scene.hash()])));
    reads!(scene.without_folder(scene.dsh(&["trust", "--revoke"])));
    fs::remove_file(scene.state()).unwrap();
    fs::create_dir(scene.state()).unwrap();
    set_mode(&scene.state(), 0o500);
    let run = scene.dsh(&["trust", "--trust", &scene.hash()]);
    // Whoever may do everything may write here too.
    let writes_anyway = fs::write(scene.state().join("probe"), "").is_ok();
    assert_eq!(run.status, Some(i32::from(!writes_anyway)), "{run}");
    set_mode(&scene.state(), 0o700);
}

#[test]
fn on_a_full_disk_the_old_record_stands_and_nothing_half_written_stays() {
    let mut scene = damaged(|_| {});
    let before = fs::read(scene.record()).unwrap();
    scene.project = scene.project.file("dsh.toml", "[variables]\ntoken = { env = \"TOKEN\" }\n");
    // No file may be longer than nothing: writing fails as it does where there is no room.
    let hash = scene.hash();
    let dsh = scene.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(dsh.get_program());
    shell.args(["trust", "--trust", &hash]).current_dir(scene.project.path());
    shell.env("XDG_STATE_HOME", scene.state());
    let run = ran(&mut shell);
    assert_eq!(run.status, Some(1), "{run}");
    let headline = "error[trust::not_stored]: the trust is not stored: it cannot be written: File too large\n";
    assert!(run.stderr.contains(headline), "{run}");
    assert_eq!(fs::read(scene.record()).unwrap(), before);
    scene.project = scene.project.file("dsh.toml", CONFIG);
    assert_eq!(scene.status(), "trusted");
}

#[test]
fn folders_whose_names_are_not_text_are_trusted_like_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let scene = Scene::new(CONFIG);
    for name in [b"two\nlines".as_slice(), b"caf\xe9", b"back\\slash"] {
        let folder = scene.project.path().with_file_name(OsStr::from_bytes(name));
        fs::rename(scene.project.path(), &folder).unwrap();
        let run = |arguments: &[&str]| ran(scene.command(arguments).current_dir(&folder));
        let hash = run(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
        assert_eq!(run(&["trust", "--trust", &hash]).status, Some(0));
        assert_eq!(run(&["trust", "--json"]).json()["status"], "trusted");
        fs::rename(&folder, scene.project.path()).unwrap();
    }
    assert_eq!(scene.records().len(), 3);
}
