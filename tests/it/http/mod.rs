//! The server over a socket.

mod defences;
mod guard;
mod ops;
mod representation;
mod server;
mod swap;
mod swap_answers;
mod unread;
