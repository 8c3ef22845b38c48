//! The server over a socket.

mod server;
mod swap;
mod swap_answers;
