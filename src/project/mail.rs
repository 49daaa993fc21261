//! A patch with its message in the form of `git format-patch`.

/// So many characters fit on a line that is quoted-printable, without the mark of a broken line.
const LONGEST_LINE: usize = 75;

/// A patch to be mailed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mail<'m> {
    /// `Name <address>`
    pub(super) author: &'m str,
    /// Its number from 1, and how many there are.
    pub(super) number: (usize, usize),
    /// One line.
    pub(super) subject: &'m str,
    /// Lines, none of which looks like the start of a patch.
    pub(super) message: &'m str,
    /// The difference in git's form.
    pub(super) patch: &'m [u8],
}

impl Mail<'_> {
    /// The bytes of the mail. Those that would not survive as they are, are written as
    /// quoted-printable: `git am` takes the carriage return off each line.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let Mail { author, number: (number, total), subject, message, patch } = self;
        let is_fragile = patch.iter().any(|byte| matches!(byte, b'\r' | 0));
        let encoding = if is_fragile { "quoted-printable" } else { "8bit" };
        let digits = total.to_string().len();
        // The date is one that git itself writes to tell such files from mails.
        let head = format!(
            "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n\
             From: {author}\n\
             Subject: [PATCH {number:0digits$}/{total}] {subject}\n\
             MIME-Version: 1.0\n\
             Content-Type: text/plain; charset=UTF-8\n\
             Content-Transfer-Encoding: {encoding}\n\n"
        );
        let mut bytes = head.into_bytes();
        let body = [message.as_bytes(), b"---\n\n", patch].concat();
        if is_fragile {
            quote(&body, &mut bytes);
        } else {
            bytes.extend_from_slice(&body);
        }
        bytes
    }
}

/// Writes `body` as quoted-printable.
fn quote(body: &[u8], out: &mut Vec<u8>) {
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let (line, end) = line.strip_suffix(b"\n").map_or((line, &b""[..]), |line| (line, b"\n"));
        quote_line(line, out);
        out.extend_from_slice(end);
    }
}

fn quote_line(line: &[u8], out: &mut Vec<u8>) {
    let mut length = 0;
    for (at, &byte) in line.iter().enumerate() {
        let is_last = at + 1 == line.len();
        let is_plain = match byte {
            b'=' => false,
            // A blank at the end of a line may get lost.
            b' ' | b'\t' => !is_last,
            // A line that starts with `From ` starts the next mail.
            b'F' => length > 0,
            _ => byte.is_ascii_graphic(),
        };
        let width = if is_plain { 1 } else { 3 };
        if length + width > LONGEST_LINE {
            out.extend_from_slice(b"=\n");
            length = 0;
        }
        // What was plain may start a line now.
        if is_plain && !(byte == b'F' && length == 0) {
            out.push(byte);
            length += 1;
        } else {
            out.extend_from_slice(format!("={byte:02X}").as_bytes());
            length += 3;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_quoted(body: &[u8], expected: &str) {
        let mut out = Vec::new();
        quote(body, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn fragile_bytes_are_quoted() {
        check_quoted(b"a = b\r\nc \n\tx\ty\xe9\0", "a =3D b=0D\nc=20\n\tx\ty=E9=00");
        check_quoted(b"From a\n From b\n", "=46rom a\n From b\n");
        check_quoted(&[b'x'; 76], &format!("{}=\nx", "x".repeat(75)));
        check_quoted(&[&[b'x'; 75], &b"From "[..], b"y"].concat(), &format!("{}=\n=46rom y", "x".repeat(75)));
        check_quoted(&[&[b'x'; 73][..], b"="].concat(), &format!("{}=\n=3D", "x".repeat(73)));
    }

    #[test]
    fn numbers_are_as_wide_as_the_last() {
        let mail = Mail { author: "A <a@b>", number: (2, 10), subject: "Do", message: "Why.\n", patch: b"x\n" };
        let text = String::from_utf8(mail.to_bytes()).unwrap();
        assert!(text.contains("\nFrom: A <a@b>\nSubject: [PATCH 02/10] Do\n"), "{text}");
        assert!(text.ends_with("Content-Transfer-Encoding: 8bit\n\nWhy.\n---\n\nx\n"), "{text}");
    }
}
