//! Threads that do the work, so that the main loop only ever waits for messages.
//!
//! One checks documents that were edited, one answers requests, and one does what takes long: large documents, whole
//! projects, and documents that another one's edit concerns.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::locks::lock;
use super::requests::Failure;

/// Whether a request is still wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub(super) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// An error once nobody wants the result any more.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) { Err(Failure::Cancelled) } else { Ok(()) }
    }
}

/// A piece of work.
struct Job {
    /// Work with the same name that has not begun is not done twice.
    name: Option<String>,
    work: Box<dyn FnOnce() + Send>,
}

/// The work that waits for one thread.
#[derive(Clone, Default)]
pub(super) struct Queue {
    waiting: Arc<(Mutex<Waiting>, Condvar)>,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// Whether the thread ends once there is nothing to do.
    is_closed: bool,
    /// Whether it has ended.
    has_ended: bool,
}

impl Queue {
    /// A queue whose work is done by a thread of its own. `tell` hears of work that panicked.
    pub(super) fn start(name: &str, tell: impl Fn(&str) + Send + 'static) -> std::io::Result<Queue> {
        let queue = Queue::default();
        let own = queue.clone();
        std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(move || {
            while let Some(job) = own.next() {
                if let Err(message) = guarded(job.work) {
                    tell(&message);
                }
            }
        })?;
        Ok(queue)
    }

    pub(super) fn push(&self, name: Option<String>, work: impl FnOnce() + Send + 'static) {
        let (waiting, wake) = &*self.waiting;
        let mut waiting = lock(waiting);
        if waiting.has_ended || name.is_some() && waiting.jobs.iter().any(|job| job.name == name) {
            return;
        }
        waiting.jobs.push_back(Job { name, work: Box::new(work) });
        wake.notify_one();
    }

    /// Waits until all work that was handed in before is done.
    pub(super) fn drain(&self, cancel: &Cancel) -> Result<(), Failure> {
        let (done, is_done) = channel();
        self.push(None, move || {
            let _ = done.send(());
        });
        while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            cancel.check()?;
        }
        Ok(())
    }

    /// Has the thread end when it has done what waits.
    fn close(&self) {
        let (waiting, wake) = &*self.waiting;
        lock(waiting).is_closed = true;
        wake.notify_one();
    }

    fn next(&self) -> Option<Job> {
        let (waiting, wake) = &*self.waiting;
        let mut waiting = lock(waiting);
        loop {
            if let Some(job) = waiting.jobs.pop_front() {
                return Some(job);
            }
            if waiting.is_closed {
                waiting.has_ended = true;
                return None;
            }
            waiting = wake.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The queues of all threads.
#[derive(Clone)]
pub(super) struct Queues {
    /// Documents that were edited.
    pub(super) checks: Queue,
    /// Requests.
    pub(super) requests: Queue,
    /// What takes long.
    pub(super) slow: Queue,
}

impl Queues {
    /// Starts all threads. `tell` hears of work that panicked.
    pub(super) fn start(tell: impl Fn(&str) + Clone + Send + 'static) -> std::io::Result<Queues> {
        Ok(Queues {
            checks: Queue::start("checks", tell.clone())?,
            requests: Queue::start("requests", tell.clone())?,
            slow: Queue::start("slow", tell)?,
        })
    }

    /// Has all threads end when they have done what waits.
    pub(super) fn close(&self) {
        for queue in [&self.checks, &self.requests, &self.slow] {
            queue.close();
        }
    }
}

/// How long to wait before asking whether the result is still wanted.
const PATIENCE: Duration = Duration::from_millis(10);

/// As much as the main thread has: trees of deep code are read by recursion.
const STACK: usize = 8 << 20;

/// Does `work`; if it panics, what it said.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "it is not known why".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_panic_does_not_end_the_thread() {
        let (tell, told) = channel();
        let queue = Queue::start("test", move |message| tell.send(message.to_owned()).unwrap()).unwrap();
        let (done, is_done) = channel();
        queue.push(None, || panic!("on purpose"));
        queue.push(None, move || done.send(1).unwrap());
        assert_eq!((told.recv().unwrap().as_str(), is_done.recv().unwrap()), ("on purpose", 1));
    }

    #[test]
    fn waiting_for_a_queue_ends_with_its_work_or_when_nobody_wants_it() {
        let queue = Queue::start("test", |_| {}).unwrap();
        let ((go_on, waits), is_done) = (channel::<()>(), Arc::new(AtomicBool::new(false)));
        let done = Arc::clone(&is_done);
        queue.push(None, move || {
            waits.recv().unwrap();
            done.store(true, Ordering::Relaxed);
        });
        let cancel = Cancel::default();
        cancel.cancel();
        assert!(matches!(queue.drain(&cancel), Err(Failure::Cancelled)));
        go_on.send(()).unwrap();
        queue.drain(&Cancel::default()).unwrap();
        assert!(is_done.load(Ordering::Relaxed));
    }

    #[test]
    fn a_closed_queue_does_what_waits_and_nothing_more() {
        let (tell, told) = channel::<()>();
        let queue = Queue::start("test", move |_| {
            let _ = tell.send(());
        })
        .unwrap();
        let ((go_on, waits), (done, is_done)) = (channel::<()>(), channel());
        queue.push(None, move || waits.recv().unwrap());
        let last = done.clone();
        queue.push(None, move || last.send("waited").unwrap());
        queue.close();
        go_on.send(()).unwrap();
        assert_eq!(is_done.recv(), Ok("waited"));
        // The thread is gone, with all that it held.
        assert!(told.recv().is_err());
        queue.push(None, move || done.send("late").unwrap());
        assert!(is_done.recv().is_err());
        queue.drain(&Cancel::default()).unwrap();
    }

    #[test]
    fn work_that_waits_is_not_done_twice() {
        let queue = Queue::start("test", |_| {}).unwrap();
        let ((go_on, waits), (done, is_done)) = (channel::<()>(), channel());
        queue.push(None, move || waits.recv().unwrap());
        for number in 0..3 {
            let done = done.clone();
            queue.push(Some("check".to_owned()), move || done.send(number).unwrap());
        }
        drop(done);
        go_on.send(()).unwrap();
        assert_eq!(is_done.iter().collect::<Vec<_>>(), [0]);
    }
}
