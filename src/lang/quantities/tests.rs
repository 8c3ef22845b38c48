//! Numbers with a unit, as names write them.

use super::{Number, contradict};
use crate::lang::Lexicon;

fn read(name: &str) -> Box<[Number]> {
    super::read(Lexicon::shipped(), name).numbers
}

fn conflict(a: &str, b: &str) -> bool {
    contradict(&read(a), &read(b))
}

#[test]
fn values_in_common() {
    for (a, b) in [
        ("1 kg", "1000 g"),
        ("454 g", "16 oz"),
        ("4 x 100 g", "4 each, 100 gram"),
        ("100gx4", "4 x 100g"),
        ("13.5 megapixel", "13 megapixels"),
        ("22-1/2' grill", "22.5' grill"),
        ("1,000 sheets", "1000 sheets"),
        ("1.5 l", "1,5 litres"),
        ("40\" tv", "40 inch tv"),
        ("2% m.f.", "2% milk"),
        ("1 each", "12 ct"),
        ("pack of 2", "2 pk"),
        ("4 in 1", "8 in"),
        ("12 fl oz", "355 ml"),
        ("dsc-w150", "dsc-w170"),
        ("10/100mbps", "100 mbit/s"),
        ("1 gbps", "10/100/1000 mbps"),
        ("8gb ram 256gb", "256 gb"),
        ("1tb sata 6gbs 64mb", "1 tb sata 6gb/s"),
        ("ssd 6 gb/s 500gb", "6gb s 500 gb"),
        ("speaker 5-1/4", "5.25\" speaker"),
        ("65 class tv", "64.5\" tv"),
        ("13 in laptop", "13.3\" laptop"),
        ("ages 3 to 5", "ages 3 to 7, 1 tb"),
        ("128 go", "128gb"),
        ("dcs-2230l", "dcs-2210l"),
        ("dozen eggs", "12 eggs"),
        ("half dozen eggs", "6 eggs"),
        ("20 tea bags", "20 bags"),
        ("12/pkg", "12 ct"),
        ("72's", "72 bags"),
        ("6/355 ml", "6 x 355 ml"),
        ("omega 3 eggs 12 ct", "dozen eggs"),
        ("size 4 diapers", "diapers taille 4"),
        ("king size 12 oz", "king size 340 g"),
        ("2-ply", "2 epaisseurs"),
        ("pkg of 4", "4 pk"),
        ("diapers #4", "diapers size 4"),
        ("lens f/4l", "lens 24 l"),
    ] {
        assert!(!conflict(a, b), "{a} and {b}: {:?} {:?}", read(a), read(b));
    }
}

#[test]
fn values_that_contradict() {
    for (a, b) in [
        ("1 kg", "900 g"),
        ("2%", "1%"),
        ("0%", "2 %"),
        ("16gb", "32 gb"),
        ("12 count", "18 ct"),
        ("6/355 ml", "12/355 ml"),
        ("omega 3 eggs dozen", "omega 3 eggs 18 ct"),
        ("omega-3 eggs dozen", "omega-3 eggs 18 ct"),
        ("diapers size 1", "diapers size 2"),
        ("2 ply", "3-ply"),
        ("40 loads", "64 loads"),
        ("spf 30", "spf 50"),
        ("diapers #4", "diapers #5"),
        ("12 grain bread", "14 grain bread"),
        ("4 x 100 g", "8 x 100 g"),
        ("1080p", "720p"),
        ("8gb 256gb", "8 gb, 512 gb"),
        ("1tb 64mb 6gbs", "2tb 64mb 6gb/s"),
        ("speakers 5-1/4 pair", "speakers 6-1/2 pair"),
        ("65 class tv", "40 class tv"),
        ("49 class tv", "40\" tv"),
        ("13 in laptop", "15 in laptop"),
        ("15.6 in 16 gb laptop", "13.3 in 16 gb laptop"),
        ("55 po", "65 po"),
        ("128 go", "256 go"),
        ("1 to", "2 to"),
        ("cable 3 m", "cable 10 m"),
        ("dozen eggs", "2 dozen eggs"),
        ("6 eggs", "12 large eggs"),
        ("20 tea bags", "40 tea bags"),
        ("boite de 12", "boite de 24"),
        ("6/pkg", "12/pkg"),
        ("8 bouteilles", "12 bouteilles"),
        ("tablet 3g", "tablet 4g"),
        ("4th generation", "3rd generation"),
        ("50mm f/1.8", "85mm f/1.8"),
        ("wireless n 150mbps", "wireless n 300 mbps"),
    ] {
        assert!(conflict(a, b), "{a} and {b}: {:?} {:?}", read(a), read(b));
    }
}

#[test]
fn sides_sets_and_sizes_in_letters() {
    for (a, b) in [
        ("4-in-1", "4 in 1"),
        ("laptop 15 in 1 tb", "laptop 2-in-1 15 inch 1 tb"),
        ("2700k", "2700 kelvin"),
        ("3000 k", "3000k"),
        ("frame 5x7", "frame 5 x 7"),
        ("frame 5x7", "5\"x7\" frame"),
        ("frame 5x7", "7 x 5 in frame"),
        ("rug 5' x 8'", "rug 5x8"),
        ("rug 5'3\" x 7'7\"", "rug 5'3\" x 7'7\" oval"),
        ("tee, m", "tee size m"),
        ("tee 2xl", "tee, xxl"),
        ("tee, m", "tee"),
        ("ring 10k gold", "10kt yellow gold ring"),
        ("ring 10k white gold", "10 karat ring"),
        ("drive 10k", "drive 15k gold"),
        ("20 servings", "20 portions"),
        ("8 core", "8-core"),
        ("1 pair", "gloves pair"),
        ("4 each", "gloves pair"),
        ("100 mcg", "100 ug"),
        ("1080i", "1080p"),
        ("ssd (capacity 2000, type ssd)", "ssd 2 tb"),
        ("memory 32 gb (speed [5, 6000], modules [2, 16])", "32gb memory"),
        ("monitor (screen_size 27, refresh_rate 165)", "27 in monitor 165 hz"),
        ("power supply (type atx, wattage 750)", "750w power supply"),
        ("ssd capacity 2000", "ssd 1 tb"),
    ] {
        assert!(!conflict(a, b), "{a} and {b}: {:?} {:?}", read(a), read(b));
    }
    for (a, b) in [
        ("4 in 1", "8 in 1"),
        ("imac 27 in 1 tb", "imac 27 in 2 tb"),
        ("4-in-1 cable", "3-in-1 cable"),
        ("2in1", "3in1"),
        ("bulb 2700k", "bulb 5000 k"),
        ("frame 5x7", "frame 8 x 10"),
        ("frame 5 x 7 in", "frame 8\"x10\""),
        ("rug 5' x 8'", "rug 8' x 10'"),
        ("size m", "size l"),
        ("taille s", "taille m"),
        ("tee, m", "tee, l"),
        ("tee (m)", "tee (xl)"),
        ("tee 2xl", "tee 3xl"),
        ("10k gold chain", "14k gold chain"),
        ("10k yellow gold", "14kt gold"),
        ("piano 61 keys", "piano 76-key"),
        ("20 servings", "63 servings"),
        ("96 pages", "192 pages"),
        ("2-bay", "4 bays"),
        ("ssd (capacity 2000, type ssd)", "ssd 1 tb"),
        ("power supply (type atx, wattage 750)", "1050 w power supply"),
        ("20 doses", "40 doses"),
        ("8 threads", "16 threads"),
        ("500 mcg", "1000mcg"),
        ("speaker (each)", "speakers (pair)"),
        ("hdtv 1080i", "hdtv 720p"),
    ] {
        assert!(conflict(a, b), "{a} and {b}: {:?} {:?}", read(a), read(b));
    }
}
