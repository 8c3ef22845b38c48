//! A small input with a bit of everything, and snapshots of it that are taken apart and put together wrongly.

use std::fs;
use std::path::{Path, PathBuf};

use bincode::config::{Configuration, Fixint, LittleEndian};
use pricebook::index::run::{Options, Report, run};
use pricebook::ingest::{Arguments, Silent};
use pricebook::snapshot::blocks::Written;
use pricebook::snapshot::columns::{ColumnWriter, Element, Tag};
use pricebook::snapshot::layout::{DICTIONARY, Dictionary, Offer};
use pricebook::snapshot::manifest::{self, FileEntry, MANIFEST, MANIFEST_CHECKSUM, Manifest};
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_128;

/// The encoding of directories and dictionaries, as the format fixes it.
const BINCODE: Configuration<LittleEndian, Fixint> = bincode::config::standard().with_fixed_int_encoding();

const GPC: &str = r#"{"DateUtc":"2025-11-27T00:00:00Z","Schema":[{"Level":1,"Code":50000000,"Title":"Food","Childs":[
    {"Level":2,"Code":50200000,"Title":"Drinks","Childs":[{"Level":3,"Code":50202200,"Title":"Wine","Childs":[
        {"Level":4,"Code":10000275,"Title":"Sparkling","Childs":[{"Level":5,"Code":20000001,"Title":"Colour",
            "Childs":[{"Level":6,"Code":30000001,"Title":"RED"},{"Level":6,"Code":30000002,"Title":"WHITE"}]}]},
        {"Level":4,"Code":10000276,"Title":"Still"}]}]}]}]}"#;

/// Writes the small input: two countries, three platforms, shared barcodes, brands, a classification, aliases,
/// days from June to October, a listing that was never observed and one that is no longer priced.
pub fn write_input(folder: &Path) {
    let mut listings =
        String::from("country,platform,product_id,product_name,brand,gtin,category_path,gpc_code\n");
    let mut observations = String::from("country,platform,product_id,date,price,list_price,in_stock,promo\n");
    let shelves = ["Food > Drinks > Wine", "Food > Drinks > Beer", "Food > Snacks", "Home"];
    let bricks = ["10000275", "10000276", ""];
    for country in ["us", "ca"] {
        for (at, platform) in ["alpha", "beta", "gamma"].into_iter().enumerate() {
            for item in 0..6_usize {
                let gtin = if item < 2 { format!("0001111500155{}", [4, 1][item]) } else { String::new() };
                let (shelf, brick) = (shelves[item % 4], bricks[item % 3]);
                let brand = ["Acme", "Birch", ""][(item + at) % 3];
                listings += &format!(
                    "{country},{platform},{platform}{item},Bottle {item} of {platform} 750 ml,{brand},{gtin},{shelf},{brick}\n"
                );
                let days = match item {
                    5 => 0..0,
                    4 => 1..9,
                    _ => 1..28,
                };
                let month = if item == 4 { 6 } else { 10 };
                for day in days {
                    let cents = 500 + 37 * item + 11 * at + day % 5;
                    observations += &format!(
                        "{country},{platform},{platform}{item},2026-{month:02}-{day:02},{}.{:02},9.99,true,{}\n",
                        cents / 100,
                        cents % 100,
                        day % 2
                    );
                }
            }
        }
    }
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("listings.csv"), listings).unwrap();
    fs::write(folder.join("observations.csv"), observations).unwrap();
    fs::write(folder.join("gpc.json"), GPC).unwrap();
    fs::write(folder.join("aliases.csv"), "alias,target\nbooze,Food > Drinks\nfizz,10000275\n").unwrap();
    fs::write(folder.join("category_gpc.csv"), "category_path,brick\nFood > Drinks > Beer,10000276\n")
        .unwrap();
}

/// Builds one input folder into `out` as the command would with `--force`.
pub fn build(input: &Path, out: &Path, id: Option<&str>) -> anyhow::Result<Report> {
    let options = Options {
        arguments: Arguments::folders([input]),
        out: out.to_owned(),
        id: id.map(str::to_owned),
        max_rejects_pct: 5.0,
        ..Options::default()
    };
    let built = run(&options, &Silent)?;
    built.published.activate()?;
    Ok(built.report)
}

/// Builds the small input below `out` and returns the snapshot's directory.
pub fn build_small(out: &Path) -> PathBuf {
    let input = tempfile::tempdir().unwrap();
    write_input(input.path());
    out.join(build(input.path(), out, None).unwrap().id)
}

/// Copies a snapshot to a directory of that name beside it, writable.
pub fn copy(snapshot: &Path, name: &str) -> PathBuf {
    let target = snapshot.with_file_name(name);
    let _ = fs::remove_dir_all(&target);
    for file in manifest::list(snapshot, "") {
        fs::create_dir_all(target.join(&file).parent().unwrap()).unwrap();
        fs::write(target.join(&file), fs::read(snapshot.join(&file)).unwrap()).unwrap();
    }
    target
}

/// Gives every file the length and checksum that it has now, after `edit`.
pub fn reseal(snapshot: &Path, edit: impl FnOnce(&mut Manifest)) {
    let mut manifest: Manifest = serde_json::from_slice(&fs::read(snapshot.join(MANIFEST)).unwrap()).unwrap();
    for entry in &mut manifest.files {
        let bytes = fs::read(snapshot.join(&entry.name)).unwrap();
        *entry = FileEntry::new(&entry.name, Written::of(&bytes));
    }
    edit(&mut manifest);
    write_manifest(snapshot, &serde_json::to_vec(&manifest).unwrap());
}

/// Writes a manifest, whatever it says, with its checksum.
pub fn write_manifest(snapshot: &Path, json: &[u8]) {
    fs::write(snapshot.join(MANIFEST), json).unwrap();
    fs::write(snapshot.join(MANIFEST_CHECKSUM), format!("{:032x}\n", xxh3_128(json))).unwrap();
}

/// Changes the dictionary, checksums and all.
pub fn edit_dictionary(snapshot: &Path, edit: impl FnOnce(&mut Dictionary)) {
    let path = snapshot.join(DICTIONARY);
    let mut dictionary = Dictionary::read(&fs::read(&path).unwrap()).unwrap();
    edit(&mut dictionary);
    fs::remove_file(&path).unwrap();
    dictionary.write(&path).unwrap();
    reseal(snapshot, |_| ());
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    tag: Tag,
    start: u64,
    bytes: u64,
}

/// Writes a column file again with one column changed, checksums and all.
pub fn edit_column<T: Element>(snapshot: &Path, file: &str, column: &str, edit: impl FnOnce(&mut Vec<T>)) {
    let path = snapshot.join(file);
    let bytes = fs::read(&path).unwrap();
    let body = &bytes[..bytes.len() - 8];
    let (body, length) = body.split_last_chunk::<4>().unwrap();
    let directory = &body[body.len() - u32::from_le_bytes(*length) as usize..];
    let (entries, _): (Vec<Entry>, usize) = bincode::serde::decode_from_slice(directory, BINCODE).unwrap();
    fs::remove_file(&path).unwrap();
    let mut writer = ColumnWriter::create(&path).unwrap();
    let mut edit = Some(edit);
    for entry in &entries {
        let raw = &bytes[entry.start as usize..(entry.start + entry.bytes) as usize];
        if entry.name == column {
            assert_eq!(entry.tag, T::TAG, "{column} has another type");
            let mut values = bytemuck::pod_collect_to_vec::<u8, T>(raw);
            edit.take().unwrap()(&mut values);
            writer.column(column, &values).unwrap();
            continue;
        }
        let written = match entry.tag {
            Tag::U8 => writer.column(&entry.name, raw),
            Tag::U16 => writer.column(&entry.name, &bytemuck::pod_collect_to_vec::<u8, u16>(raw)),
            Tag::U32 => writer.column(&entry.name, &bytemuck::pod_collect_to_vec::<u8, u32>(raw)),
            Tag::U64 => writer.column(&entry.name, &bytemuck::pod_collect_to_vec::<u8, u64>(raw)),
            Tag::I64 => writer.column(&entry.name, &bytemuck::pod_collect_to_vec::<u8, i64>(raw)),
            Tag::F64 => writer.column(&entry.name, &bytemuck::pod_collect_to_vec::<u8, f64>(raw)),
            Tag::Offer => writer.column(&entry.name, &bytemuck::pod_collect_to_vec::<u8, Offer>(raw)),
        };
        written.unwrap();
    }
    assert!(edit.is_none(), "{file} has no column {column}");
    writer.finish().unwrap();
    reseal(snapshot, |_| ());
}
