//! The server over a socket.

mod defences;
mod guard;
mod representation;
mod server;
mod swap;
mod swap_answers;
