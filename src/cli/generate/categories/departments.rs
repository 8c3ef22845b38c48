//! The category tree as a table of departments, aisles and shelves.
//!
//! The shelves of an aisle are one text, separated by semicolons. A small input fills the departments in this order.

use super::{Aisle, Department, Measure, Trade};

const fn aisle(name: &'static str, measure: Measure, leaves: &'static str) -> Aisle {
    Aisle { name, measure, leaves }
}

/// All departments. A small input uses only the first ones.
pub(in crate::cli::generate) const DEPARTMENTS: &[Department] = &[
    Department {
        name: "Groceries",
        trade: Trade::Grocery,
        level: 5.6,
        weight: [45, 22],
        varieties: &["Organic", "Family Size", "Gluten Free", "Classic"],
        aisles: &[
            aisle("Dairy & Eggs", Measure::Volume, "Milk;Cream;Yogurt;Butter;Plant Milk;Cheese;Eggs"),
            aisle("Bakery", Measure::Weight, "Bread;Bagels;Tortillas;Muffins;Cakes;Croissants"),
            aisle(
                "Pantry",
                Measure::Weight,
                "Pasta;Rice;Flour;Sugar;Canned Soup;Canned Beans;Peanut Butter;Honey",
            ),
            aisle(
                "Snacks",
                Measure::Weight,
                "Chips;Crackers;Cookies;Granola Bars;Chocolate;Candy;Nuts;Popcorn",
            ),
            aisle(
                "Beverages",
                Measure::Volume,
                "Coffee;Tea;Juice;Soda;Sparkling Water;Energy Drinks;Sports Drinks",
            ),
            aisle("Frozen", Measure::Weight, "Pizza;Ice Cream;Vegetables;Fries;Frozen Meals;Berries"),
            aisle("Meat & Seafood", Measure::Weight, "Chicken;Beef;Bacon;Sausages;Salmon;Shrimp"),
            aisle("Breakfast", Measure::Weight, "Cereal;Oatmeal;Pancake Mix;Maple Syrup;Jam"),
            aisle(
                "Sauces & Spices",
                Measure::Volume,
                "Ketchup;Mustard;Hot Sauce;Olive Oil;Vinegar;Pasta Sauce;Salsa",
            ),
        ],
    },
    Department {
        name: "Electronics",
        trade: Trade::Electronics,
        level: 207.0,
        weight: [15, 0],
        varieties: &["Entry", "Performance", "Professional"],
        aisles: &[
            aisle(
                "Audio",
                Measure::None,
                "Headphones;Earbuds;Soundbars;Bluetooth Speakers;Turntables;Receivers;Accessories",
            ),
            aisle(
                "Phones",
                Measure::None,
                "Smartphones;Cases & Covers;Chargers;Screen Protectors;Smartwatches;Accessories",
            ),
            aisle(
                "Computers",
                Measure::None,
                "Laptops;Desktops;Monitors;Tablets;Keyboards;Mice;Webcams;Routers;Accessories",
            ),
            aisle(
                "PC Parts",
                Measure::None,
                "Processors;Graphics Cards;Motherboards;Memory;Power Supplies;Computer Cases;CPU Coolers;Internal Drives",
            ),
            aisle(
                "TV & Video",
                Measure::None,
                "Televisions;Projectors;Media Players;Wall Mounts;Remote Controls;Accessories",
            ),
            aisle(
                "Cameras",
                Measure::None,
                "Mirrorless Cameras;Lenses;Action Cameras;Tripods;Memory Cards;Camera Bags;Accessories",
            ),
            aisle("Gaming", Measure::None, "Consoles;Controllers;Headsets;Gaming Chairs;Accessories"),
            aisle(
                "Smart Home",
                Measure::None,
                "Thermostats;Security Cameras;Smart Bulbs;Doorbells;Smart Plugs",
            ),
        ],
    },
    Department {
        name: "Shoes & Clothing",
        trade: Trade::Fashion,
        level: 58.0,
        weight: [9, 15],
        varieties: &["Men", "Women", "Kids", "Wide"],
        aisles: &[
            aisle(
                "Shoes",
                Measure::None,
                "Running Shoes;Boots;Sandals;Sneakers;Loafers;Hiking Shoes;Slippers;Heels",
            ),
            aisle("Tops", Measure::None, "T-Shirts;Sweaters;Hoodies;Shirts;Polos"),
            aisle("Bottoms", Measure::None, "Jeans;Shorts;Leggings;Skirts;Chinos"),
            aisle("Outerwear", Measure::None, "Jackets;Parkas;Raincoats;Vests"),
            aisle(
                "Bags & Accessories",
                Measure::None,
                "Backpacks;Belts;Hats;Socks;Sunglasses;Watches;Accessories",
            ),
        ],
    },
    Department {
        name: "Home & Kitchen",
        trade: Trade::General,
        level: 34.0,
        weight: [6, 14],
        varieties: &["Compact", "Deluxe", "Everyday"],
        aisles: &[
            aisle(
                "Cookware",
                Measure::None,
                "Frying Pans;Saucepans;Bakeware;Knives;Cutting Boards;Accessories",
            ),
            aisle(
                "Small Appliances",
                Measure::None,
                "Blenders;Toasters;Coffee Makers;Kettles;Air Fryers;Mixers;Microwaves",
            ),
            aisle("Bedding", Measure::None, "Sheets;Pillows;Duvets;Blankets;Mattress Toppers"),
            aisle("Furniture", Measure::None, "Desks;Chairs;Bookcases;Sofas;Nightstands;Dining Tables"),
            aisle(
                "Cleaning",
                Measure::Volume,
                "Dish Soap;Laundry Detergent;Floor Cleaner;Glass Cleaner;Bleach",
            ),
            aisle("Decor", Measure::None, "Lamps;Rugs;Curtains;Candles;Picture Frames;Clocks"),
            aisle("Storage", Measure::Count, "Boxes;Hangers;Food Containers;Shelving;Trash Bags"),
        ],
    },
    Department {
        name: "Wine & Spirits",
        trade: Trade::Liquor,
        level: 61.0,
        weight: [6, 3],
        varieties: &["Reserve", "Single Vineyard", "Estate"],
        aisles: &[
            aisle(
                "Red Wine",
                Measure::Bottle,
                "Cabernet Sauvignon;Merlot;Pinot Noir;Syrah;Malbec;Red Blends",
            ),
            aisle("White Wine", Measure::Bottle, "Chardonnay;Riesling;Sauvignon Blanc;Pinot Gris"),
            aisle("Sparkling", Measure::Bottle, "Champagne;Prosecco;Cava;Rosé"),
            aisle("Spirits", Measure::Bottle, "Whisky;Gin;Rum;Vodka;Tequila;Liqueurs;Brandy"),
        ],
    },
    Department {
        name: "Health & Beauty",
        trade: Trade::General,
        level: 14.0,
        weight: [6, 11],
        varieties: &["Sensitive", "Travel", "Fragrance Free"],
        aisles: &[
            aisle("Hair", Measure::Volume, "Shampoo;Conditioner;Hair Color;Styling Gel;Hair Brushes"),
            aisle("Skin", Measure::Volume, "Face Cream;Sunscreen;Body Lotion;Cleanser;Serum;Lip Balm"),
            aisle("Oral Care", Measure::Count, "Toothpaste;Toothbrushes;Mouthwash;Dental Floss"),
            aisle("Vitamins", Measure::Count, "Multivitamins;Vitamin D;Fish Oil;Protein Powder;Probiotics"),
            aisle("Makeup", Measure::None, "Mascara;Lipstick;Foundation;Eyeliner;Nail Polish;Accessories"),
            aisle("Shaving", Measure::Count, "Razors;Shaving Cream;Aftershave;Trimmers"),
        ],
    },
    Department {
        name: "Toys & Games",
        trade: Trade::General,
        level: 24.0,
        weight: [4, 9],
        varieties: &["Starter", "Deluxe", "Mini"],
        aisles: &[
            aisle("Building", Measure::None, "Building Sets;Magnetic Tiles;Wooden Blocks;Model Kits"),
            aisle("Games", Measure::None, "Board Games;Card Games;Puzzles;Dice Games"),
            aisle("Dolls & Figures", Measure::None, "Dolls;Action Figures;Dollhouses;Plush Toys;Accessories"),
            aisle("Outdoor Play", Measure::None, "Scooters;Water Toys;Kites;Swings;Trampolines"),
            aisle("Learning", Measure::None, "Science Kits;Craft Kits;Musical Toys;Activity Books"),
        ],
    },
    Department {
        name: "Tools & Garden",
        trade: Trade::General,
        level: 38.0,
        weight: [3, 8],
        varieties: &["Heavy Duty", "Compact", "Professional"],
        aisles: &[
            aisle(
                "Power Tools",
                Measure::None,
                "Drills;Circular Saws;Sanders;Impact Drivers;Grinders;Accessories",
            ),
            aisle(
                "Hand Tools",
                Measure::Count,
                "Screwdrivers;Wrenches;Hammers;Pliers;Tape Measures;Tool Sets",
            ),
            aisle("Garden", Measure::None, "Hoses;Planters;Pruners;Lawn Mowers;Leaf Blowers;Rakes"),
            aisle("Paint", Measure::Volume, "Interior Paint;Exterior Paint;Primer;Wood Stain"),
            aisle("Hardware", Measure::Count, "Screws;Hinges;Door Knobs;Hooks;Padlocks"),
            aisle("Lighting", Measure::Count, "LED Bulbs;Flashlights;Work Lights;String Lights"),
        ],
    },
    Department {
        name: "Sports & Outdoors",
        trade: Trade::General,
        level: 45.0,
        weight: [3, 7],
        varieties: &["Youth", "Pro", "Lightweight"],
        aisles: &[
            aisle(
                "Fitness",
                Measure::None,
                "Dumbbells;Yoga Mats;Resistance Bands;Exercise Bikes;Treadmills;Accessories",
            ),
            aisle("Camping", Measure::None, "Tents;Sleeping Bags;Camp Stoves;Coolers;Lanterns"),
            aisle("Cycling", Measure::None, "Bikes;Helmets;Bike Locks;Bike Lights;Saddles;Accessories"),
            aisle("Winter Sports", Measure::None, "Skis;Snowboards;Goggles;Ice Skates;Gloves"),
            aisle("Team Sports", Measure::None, "Soccer Balls;Basketballs;Hockey Sticks;Baseball Gloves"),
        ],
    },
    Department {
        name: "Pets",
        trade: Trade::General,
        level: 19.0,
        weight: [2, 6],
        varieties: &["Puppy", "Senior", "Grain Free"],
        aisles: &[
            aisle("Dogs", Measure::Weight, "Dry Food;Wet Food;Treats;Leashes;Beds;Toys"),
            aisle("Cats", Measure::Weight, "Dry Food;Wet Food;Treats;Litter;Scratching Posts;Toys"),
            aisle("Fish & Birds", Measure::Weight, "Fish Food;Aquariums;Bird Seed;Cages;Accessories"),
        ],
    },
    Department {
        name: "Office",
        trade: Trade::General,
        level: 15.0,
        weight: [1, 5],
        varieties: &["Recycled", "Executive", "Student"],
        aisles: &[
            aisle("Paper", Measure::Count, "Copy Paper;Notebooks;Sticky Notes;Envelopes;Planners"),
            aisle("Writing", Measure::Count, "Pens;Pencils;Markers;Highlighters;Erasers"),
            aisle(
                "Machines",
                Measure::None,
                "Printers;Ink Cartridges;Shredders;Calculators;Label Makers;Accessories",
            ),
            aisle("Organizing", Measure::Count, "Binders;Folders;Desk Trays;Staplers"),
        ],
    },
];
