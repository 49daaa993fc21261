//! The HTML report in a real browser: it opens, and shows the counts.

use crate::common;

use std::path::Path;
use std::process::Command;

use crate::common::folder::{Folder, hipshift};

/// The browser with what every run needs; `None` with a note where it was not fetched.
fn browser(folder: &Folder) -> Option<Command> {
    let mut command = Command::new("sh");
    command.arg(common::tool("chromium")?);
    // Builds often run as root in a container, where the browser's own sandbox cannot start.
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]);
    // A network that nobody answers on: the page must need none.
    command.args(["--proxy-server=127.0.0.1:9", "--virtual-time-budget=5000"]);
    command.arg(format!("--user-data-dir={}", folder.path("profile").display()));
    Some(command)
}

/// A report about the fixtures of lint.
fn report(folder: &Folder) -> String {
    let fixtures = common::root().join("fixtures/lint");
    for file in common::files_below("fixtures/lint", &["cu", "hip"]) {
        folder.write(file.strip_prefix(&fixtures).unwrap().to_str().unwrap(), &std::fs::read(&file).unwrap());
    }
    let output = hipshift(folder, &["lint", "--format", "html"]);
    folder.write("report.html", &output.stdout);
    format!("file://{}", folder.path("report.html").display())
}

#[test]
fn the_report_opens_and_shows_its_counts() {
    let folder = Folder::new(&[]);
    let Some(mut browser) = browser(&folder) else { return };
    let output = browser.args(["--dump-dom", &report(&folder)]).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    // The browser writes the tree that it built, so an element that it had to repair looks otherwise.
    for expected in [
        "<strong id=\"count-error\">1</strong> error",
        "<strong id=\"count-warning\">3</strong> warnings",
        "<td class=\"number\" id=\"rule-A005\">1</td>",
        "<td class=\"number\" id=\"effort-rewrite\">2</td>",
        "<rect class=\"rewrite\"",
        "// &lt;ours&gt; &amp; \"theirs\"",
        "<table class=\"diff\">",
    ] {
        assert!(page.contains(expected), "no `{expected}` in:\n{page}");
    }
}

#[test]
fn the_report_of_a_validation_opens_and_shows_its_counts() {
    let folder = Folder::new(&[]);
    let Some(mut browser) = browser(&folder) else { return };
    let Some(output) = common::validate(&["fixtures/vector_add", "--format=html"]) else { return };
    folder.write("report.html", &output.stdout);
    let address = format!("file://{}", folder.path("report.html").display());
    let page = String::from_utf8(browser.args(["--dump-dom", &address]).output().unwrap().stdout).unwrap();
    for expected in [
        "<strong id=\"count-well\">2</strong> well",
        "<td class=\"number\" id=\"evidence-emulated\">2</td>",
        "<td class=\"number\" id=\"evidence-ran-on-AMD\">0</td>",
        "<span class=\"badge well\">matched</span>",
        "<th scope=\"col\">gfx1100 (wave32)</th>",
    ] {
        assert!(page.contains(expected), "no `{expected}` in:\n{page}");
    }
}

#[test]
fn the_report_can_be_seen_in_light_and_dark() {
    let folder = Folder::new(&[]);
    let Some(_) = browser(&folder) else { return };
    let address = report(&folder);
    // Kept, so that people can look at them.
    let pictures = common::root().join("target/tools/pictures");
    std::fs::create_dir_all(&pictures).unwrap();
    let shot = |name: &str, arguments: &[&str]| {
        let picture = pictures.join(name);
        let _ = std::fs::remove_file(&picture);
        let mut browser = browser(&folder).unwrap();
        browser.arg(format!("--screenshot={}", picture.display())).arg("--window-size=1200,2400");
        assert!(browser.args(arguments).arg(&address).output().unwrap().status.success());
        size_of_png(&picture)
    };
    assert_eq!(shot("light.png", &[]), (1200, 2400));
    assert_eq!(shot("dark.png", &["--blink-settings=preferredColorScheme=0"]), (1200, 2400));
    let [light, dark] = ["light.png", "dark.png"].map(|name| std::fs::read(pictures.join(name)).unwrap());
    assert!(light != dark, "both look the same");
}

/// Width and height of a picture.
fn size_of_png(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}
