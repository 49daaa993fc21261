//! Messages of an editor: whatever comes, the server answers in whole messages and leaves when it is told to.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use hipshift::lsp::serve_on;
use hipshift::mapping::Table;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
const OPEN: &str = r##"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x/x.cu","languageId":"cuda","version":1,"text":"#include <cuda.h>\nvoid f(void* p) { cudaFree(p); k<<<1, 2>>>(); }\n"}}}"##;
const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

/// Bodies of messages, or streams with headers where they begin with `Content`, with zeros between.
pub fn run(bytes: &[u8]) {
    let Ok(table) = Table::builtin() else { return };
    let mut stream = Vec::new();
    for body in [INITIALIZE, OPEN] {
        frame(body.as_bytes(), &mut stream);
    }
    let mut is_framed = true;
    for body in bytes.split(|byte| *byte == 0) {
        if body.starts_with(b"Content") {
            stream.extend_from_slice(body);
            is_framed = false;
        } else {
            frame(body, &mut stream);
        }
    }
    for body in [SHUTDOWN, EXIT] {
        frame(body.as_bytes(), &mut stream);
    }
    let answers = Shared::default();
    let written = answers.clone();
    let is_clean = serve_on(table, || Cursor::new(stream), || written).expect("threads can be started");
    // Headers that lie may swallow the farewell.
    assert!(is_clean || !is_framed || says_goodbye(bytes), "the server did not leave as it was told");
    let answers = answers.0.lock().expect("nobody panicked").clone();
    assert!(answers.starts_with(b"Content-Length: "), "{}", String::from_utf8_lossy(&answers));
}

/// Whether the messages themselves may end the session.
fn says_goodbye(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Any word of JSON can be written with escapes.
    ["exit", "shutdown", "\\u"].iter().any(|word| text.contains(word))
}

fn frame(body: &[u8], stream: &mut Vec<u8>) {
    stream.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    stream.extend_from_slice(body);
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
