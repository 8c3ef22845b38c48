//! What names say of product types and of groups of synonyms.

use super::profile::Names;
use crate::lang::Lexicon;
use crate::lang::part_numbers::said;

#[test]
fn names_say_what_they_sell() {
    let names = Names::new(Lexicon::shipped());
    let of = |name: &str| names.product_types(&said(Lexicon::shipped(), name).folded);
    for (a, b) in [
        ("Pantene Pro-V Shampoo 375 mL", "Pantene Pro-V Conditioner 375 mL"),
        ("Pantene shampooing", "Pantene revitalisant"),
        ("Activia Yogurt Drink 8 x 100 g", "Activia Yogurt 8 x 100 g"),
        ("Decadent Chocolate Chip Cookies", "Decadent Chocolate Chip Ice Cream"),
        ("Dempster's Pains à hamburger", "Dempster's Pain"),
        ("Trend Lab Cupcake Lamp Shade", "Trend Lab Cupcake Receiving Blanket"),
        ("Cuisinart Toaster Oven", "Cuisinart Toaster"),
    ] {
        assert!(of(a).differ(&of(b)) && of(b).differ(&of(a)), "{a} | {b}");
    }
    for (a, b) in [
        ("Dempster's Hamburger Buns", "Dempster's Pains à hamburger"),
        ("Quaker Chewy Granola Bars", "Quaker Chewy Cereal Bars"),
        ("Oikos Cookies & Cream 4 x 100 g", "Oikos Cookies & Cream Yogurt 4 x 100 g"),
        ("Logitech Keyboard and Mouse", "Logitech Wireless Mouse"),
        ("Vacuum Cleaner", "Aspirateur"),
    ] {
        assert!(!of(a).differ(&of(b)) && !of(b).differ(&of(a)), "{a} | {b}");
    }
}

#[test]
fn names_differ_where_both_say_something_of_a_group() {
    let names = Names::new(Lexicon::shipped());
    let of = |name: &str| names.forms(&said(Lexicon::shipped(), name).folded);
    for (a, b) in [
        ("Chicken Thighs Boneless 1 kg", "Chicken Thighs, Bone-In, 1 kg"),
        ("Hauts de cuisses de poulet", "Cuisses de poulet"),
        ("Tropicana sans pulpe 1.75 L", "Tropicana avec pulpe 1.75 L"),
        ("Lean Ground Beef", "Extra Lean Ground Beef"),
        ("Boeuf haché maigre", "Porc haché maigre"),
        ("Tuna in Water", "Tuna in Oil"),
        ("Thon dans l'eau", "Thon dans l'huile"),
        ("Barilla Penne", "Barilla Spaghetti"),
        ("Cloves, whole", "Cloves, ground"),
        ("Pampers unscented", "Pampers scented"),
        ("Classico Four Cheese", "Classico Mushroom"),
        // Of two groups at once.
        ("Salsa, Medium", "Salsa, Hot"),
        ("Medium Eggs", "Large Eggs"),
        ("Concealer Medium 2", "Concealer Deep 2"),
        ("Girls' Training Pants 2T-3T", "Boys' Training Pants 2T-3T"),
    ] {
        assert!(of(a).differs(&names.groups, &of(b)) && of(b).differs(&names.groups, &of(a)), "{a} | {b}");
    }
    for (a, b) in [
        ("Chicken Thighs Boneless", "Chicken Thighs"),
        ("Pork Loin Chops", "Pork Chops"),
        ("Pork Loin Chops", "Pork Loin Roast Chops"),
        ("Whole Wheat Bread, Sliced", "Bread, Whole Wheat"),
        ("Poitrines de poulet désossées", "Boneless Chicken Breasts"),
        ("Old El Paso Salsa, Mild", "Old El Paso Salsa"),
        ("Macaroni", "Elbows"),
    ] {
        assert!(!of(a).differs(&names.groups, &of(b)) && !of(b).differs(&names.groups, &of(a)), "{a} | {b}");
    }
}
