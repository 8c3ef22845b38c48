//! A generated input, read back from its files with another reader than the build's.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::{DataFrame, ParquetReader, SerReader as _};
use pricebook::cli::generate::{CHURN_PCT, GenerateOptions, run};
use pricebook::types::Gtin;

/// A price of one day.
#[derive(Debug, Clone, Copy)]
pub struct Price {
    pub day: i32,
    pub cents: u32,
    pub list: Option<u32>,
    pub in_stock: Option<bool>,
    pub promo: Option<bool>,
}

impl Price {
    /// On promotion as the contract has it.
    pub fn is_promoted(&self) -> bool {
        self.promo == Some(true) || self.list.is_some_and(|list| self.cents < list && list <= 5 * self.cents)
    }
}

/// A listing with its prices, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub country: String,
    pub platform: String,
    pub name: String,
    pub brand: String,
    pub gtin: Option<u64>,
    pub path: Vec<String>,
    pub condition: String,
    pub prices: Vec<Price>,
}

/// GenerateOptions of a small catalog.
pub fn options(listings: u32, days: u32, seed: u64, out: &Path) -> GenerateOptions {
    GenerateOptions { listings, days, every: 1, seed, churn_pct: CHURN_PCT, out: out.to_owned() }
}

/// Files of a generated folder with this name, in order.
pub fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let parts = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().join(name));
    let mut files: Vec<PathBuf> = parts.filter(|path| path.exists()).collect();
    files.sort();
    files
}

fn frame(path: &Path) -> DataFrame {
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
}

fn texts(frame: &DataFrame, name: &str) -> Vec<String> {
    let column = frame.column(name).unwrap().str().unwrap();
    column.iter().map(|text| text.unwrap_or_default().to_owned()).collect()
}

/// Generates and reads a catalog.
pub fn catalog(options: &GenerateOptions) -> Vec<Listing> {
    run(options, &|_| ()).unwrap();
    let (mut all, mut keys) = (Vec::new(), HashMap::new());
    for file in files(&options.out, "listings.parquet") {
        let frame = frame(&file);
        let names = ["country", "platform", "product_id", "product_name", "brand", "gtin", "category_path"];
        let columns = names.map(|name| texts(&frame, name));
        let conditions = texts(&frame, "condition");
        for (row, condition) in conditions.into_iter().enumerate() {
            let [country, platform, id, name, brand, gtin, path] =
                std::array::from_fn(|at| columns[at][row].clone());
            keys.insert((country.clone(), platform.clone(), id), all.len());
            let path = path.split(" > ").map(str::to_owned).collect();
            let gtin = Gtin::parse(&gtin).map(Gtin::get);
            all.push(Listing { country, platform, name, brand, gtin, path, condition, prices: vec![] });
        }
    }
    for file in files(&options.out, "observations.parquet") {
        follow(&frame(&file), &keys, &mut all);
    }
    all
}

fn follow(frame: &DataFrame, keys: &HashMap<(String, String, String), usize>, all: &mut [Listing]) {
    let [countries, platforms, ids] = ["country", "platform", "product_id"].map(|name| texts(frame, name));
    let cents = |name: &str| -> Vec<Option<u32>> {
        let column = frame.column(name).unwrap().f64().unwrap();
        column.iter().map(|price| price.map(|price| (price * 100.0).round() as u32)).collect()
    };
    let flags =
        |name: &str| -> Vec<Option<bool>> { frame.column(name).unwrap().bool().unwrap().iter().collect() };
    let days: Vec<i32> =
        frame.column("date").unwrap().date().unwrap().physical().iter().map(Option::unwrap).collect();
    let (prices, lists, stock, promo) =
        (cents("price"), cents("list_price"), flags("in_stock"), flags("promo"));
    let rows = countries.into_iter().zip(platforms).zip(ids).enumerate();
    for (row, ((country, platform), id)) in rows {
        let price = Price {
            day: days[row],
            cents: prices[row].unwrap(),
            list: lists[row],
            in_stock: stock[row],
            promo: promo[row],
        };
        all[keys[&(country, platform, id)]].prices.push(price);
    }
}
