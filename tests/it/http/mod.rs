//! The server over a socket.

mod guard;
mod representation;
mod server;
mod swap;
mod swap_answers;
