//! Dimensions of quantities.

macro_rules! dimensions {
    ($($dimension:ident),+ $(,)?) => {
        /// What a quantity measures; only quantities of one dimension are compared.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub(crate) enum Dimension { $($dimension),+ }

        impl Dimension {
            /// Reads the name of a dimension in the lexicon: the name of the variant in lower case.
            pub(crate) fn read(name: &str) -> Option<Self> {
                [$((stringify!($dimension), Self::$dimension)),+]
                    .into_iter()
                    .find_map(|(known, dimension)| known.eq_ignore_ascii_case(name).then_some(dimension))
            }
        }
    };
}

dimensions! {
    Mass, Volume, Pieces, Percent, Inch, Prime, Millimetre, Metre, Foot, Memory, Hertz, Megahertz, Watt,
    Volt, Charge, Pixels, Lines, Turns, Dots, Ports, Channels, Users, Ordinal, CubicFoot, Zoom, Sheets,
    Hours, Years, Days, Heat, Bits, Rate, Current, Cups, Lumens, Months, Ohms, Ply, Loads, Potency, Size,
    Stage, Sun, Kinds, VoltAmpere, Joule, InOne, Kelvin, Letter, Nutrient, Set, Sides, Micrograms, Cores,
    Frames, Decibels, Pressure, Air, Gauge, Karats, Servings, Pages, Doses, Bays, Threads, Keys, Speeds,
    Persons, Tiers, Drawers, Strokes, Outlets, Buttons, Yards, Miles,
}
