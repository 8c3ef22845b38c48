//! What an opened snapshot promises.

mod census;
mod damage;
mod known_titles;
mod newcomer;
mod nonsense;
mod panel;
mod search;
mod search_figures;
mod spells;
mod understand;
mod verified;
mod zero_copy;
