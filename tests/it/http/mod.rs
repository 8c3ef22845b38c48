//! The server over a socket.

mod representation;
mod server;
mod swap;
mod swap_answers;
