//! Compares the indices with published numbers and with naive implementations, and checks their properties.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const METHODS: [IndexMethod; 4] =
    [IndexMethod::JevonsChained, IndexMethod::JevonsFixed, IndexMethod::GeksJevons, IndexMethod::Tpd];
const SPLICES: [Splice; 4] = [Splice::Mean, Splice::Movement, Splice::Window, Splice::Half];

/// The price and weight of a product in each period; `None` for a period without the product.
type Prices = Vec<Option<(f64, f64)>>;

/// A panel with one row per product. Products are assigned to groups in turn.
fn panel(floor: u32, products: &[Prices], weighted: bool) -> LogPanel {
    let periods = products.first().map_or(0, Vec::len);
    let row = |(at, prices): (usize, &Prices)| {
        let there = |period: &usize| prices[*period].is_some();
        let of = |value: fn((f64, f64)) -> f64| prices.iter().map(|price| price.map_or(0.0, value)).collect();
        Row {
            periods: (0..periods).filter(there).fold(0, |word, period| word | 1 << period),
            group: (at % GROUPS) as u8,
            products: 1,
            weights: if weighted { of(|(_, weight)| weight) } else { Vec::new() },
            sums: if weighted {
                of(|(price, weight)| weight * price.ln())
            } else {
                of(|(price, _)| price.ln())
            },
        }
    };
    LogPanel::new(periods, floor, products.iter().enumerate().map(row).collect())
}

fn unweighted(products: &[&[f64]]) -> Vec<Prices> {
    let price = |&price: &f64| (price > 0.0).then_some((price, 1.0));
    products.iter().map(|prices| prices.iter().map(price).collect()).collect()
}

fn index(level: Option<f64>) -> Option<f64> {
    level.map(f64::exp)
}

fn assert_close(found: Option<f64>, expected: f64, within: f64, what: &str) {
    let found = found.unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= within, "{what}: {found}, not {expected}");
}

/// The data of IndexNumR's documentation (Hill, Fox and others): four products over twelve periods without gaps, so
/// that the four methods agree.
#[test]
fn index_num_r() {
    let by_period = [
        [2.0, 1.0, 1.0, 0.5],
        [1.75, 0.5, 0.95, 0.55],
        [1.6, 1.05, 0.9, 0.6],
        [1.5, 1.1, 0.85, 0.65],
        [1.45, 1.12, 0.4, 0.7],
        [1.4, 1.15, 0.8, 0.75],
        [1.35, 1.18, 0.75, 0.7],
        [1.3, 0.6, 0.72, 0.65],
        [1.25, 1.2, 0.7, 0.7],
        [1.2, 1.25, 0.4, 0.75],
        [1.15, 1.28, 0.7, 0.75],
        [1.1, 1.3, 0.65, 0.8],
    ];
    let expected = [
        1.0,
        0.822_287_308,
        0.975_945_937,
        0.977_133_846,
        0.821_175_558,
        0.991_389_424,
        0.956_299_150,
        0.777_293_640,
        0.925_916_524,
        0.819_036_259,
        0.937_598_229,
        0.928_613_184,
    ];
    let product = |at: usize| by_period.map(|prices| prices[at]).to_vec();
    let products: Vec<Vec<f64>> = (0..4).map(product).collect();
    let products: Vec<&[f64]> = products.iter().map(Vec::as_slice).collect();
    let panel = panel(1, &unweighted(&products), false);
    for method in METHODS {
        let levels = panel.levels(method, Splice::Mean, 12);
        for (period, expected) in expected.iter().enumerate() {
            assert_close(index(levels[period]), *expected, 1e-8, &format!("{method:?} {period}"));
        }
    }
}

/// A small panel with gaps.
#[test]
fn products_that_come_and_go() {
    let products = unweighted(&[
        &[10.0, 11.0, 0.0, 12.0],
        &[20.0, 20.0, 22.0, 0.0],
        &[0.0, 30.0, 27.0, 27.0],
        &[0.0, 0.0, 8.0, 9.0],
    ]);
    let levels =
        |floor, method, splice, window| panel(floor, &products, false).levels(method, splice, window);
    for (method, expected) in [
        (IndexMethod::JevonsChained, [1.048_808_848_2, 1.043_551_627_9, 1.106_853_648_9]),
        (IndexMethod::JevonsFixed, [1.048_808_848_2, 1.1, 1.2]),
        (IndexMethod::GeksJevons, [1.101_623_954_5, 1.093_266_583_4, 1.149_504_905_8]),
        (IndexMethod::Tpd, [1.090_852_334_3, 1.075_201_143_6, 1.134_867_001_3]),
    ] {
        let found = levels(1, method, Splice::Mean, 4);
        for (period, expected) in expected.into_iter().enumerate() {
            assert_close(index(found[period + 1]), expected, 1e-9, &format!("{method:?} {period}"));
        }
    }
    for (method, splice, expected) in [
        (IndexMethod::GeksJevons, Splice::Mean, 1.101_134_607_0),
        (IndexMethod::GeksJevons, Splice::Window, 1.080_100_666_2),
        (IndexMethod::Tpd, Splice::Mean, 1.111_908_950_0),
    ] {
        let found = levels(1, method, splice, 3);
        assert_close(index(found[3]), expected, 1e-9, &format!("{method:?} {splice:?}"));
    }
    let fixed = levels(2, IndexMethod::JevonsFixed, Splice::Mean, 4);
    assert_close(index(fixed[1]), 1.048_808_848_2, 1e-9, "fixed");
    assert_eq!((fixed[2], fixed[3]), (None, None));
    let geks = levels(2, IndexMethod::GeksJevons, Splice::Mean, 4);
    for (period, expected) in [1.048_808_848_2, 1.021_851_606_6, 1.061_299_563_3].into_iter().enumerate() {
        assert_close(index(geks[period + 1]), expected, 1e-9, "geks of two");
    }
}

/// Price and expenditure by product and month.
type Cells<'t> = BTreeMap<(&'t str, &'t str), (f64, f64)>;

/// The panels of PriceIndexCalc's tests by group of products, with each product's price and its share of the month's
/// expenditure.
fn price_index_calc() -> BTreeMap<String, (Vec<String>, Vec<Prices>)> {
    let text = include_str!("../../../tests/golden/price_index/input_df.csv");
    let mut cells: BTreeMap<&str, Cells<'_>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let [month, price, quantity, group, id] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (price, quantity): (f64, f64) = (price.parse().unwrap(), quantity.parse().unwrap());
        cells.entry(group).or_default().insert((id, month), (price, price * quantity));
    }
    let group = |(group, cells): (&str, Cells<'_>)| {
        let mut months: Vec<&str> = cells.keys().map(|(_, month)| *month).collect();
        months.sort_unstable();
        months.dedup();
        let mut ids: Vec<&str> = cells.keys().map(|(id, _)| *id).collect();
        ids.dedup();
        let total = |month: &str| -> f64 {
            cells.iter().filter(|((_, own), _)| *own == month).map(|(_, (_, spent))| spent).sum()
        };
        let product = |id: &&str| {
            let cell =
                |month: &&str| cells.get(&(*id, *month)).map(|(price, spent)| (*price, spent / total(month)));
            months.iter().map(cell).collect()
        };
        let products = ids.iter().map(product).collect();
        (group.to_owned(), (months.iter().map(|month| (*month).to_owned()).collect(), products))
    };
    cells.into_iter().map(group).collect()
}

/// Compares with the published outputs of PriceIndexCalc for all splices, in windows of 13 months.
#[test]
fn price_index_calc_and_its_splices() {
    macro_rules! output {
        ($name:literal) => {
            include_str!(concat!("../../../tests/golden/price_index/output_", $name, ".csv"))
        };
    }
    let (geks, tpd) = (IndexMethod::GeksJevons, IndexMethod::Tpd);
    let published = [
        (geks, None, output!("geks_jevons_pure")),
        (geks, Some(Splice::Movement), output!("geks_jevons_movement")),
        (geks, Some(Splice::Window), output!("geks_jevons_wisp")),
        (geks, Some(Splice::Half), output!("geks_jevons_hasp")),
        (geks, Some(Splice::Mean), output!("geks_jevons_mean_pub")),
        (tpd, None, output!("tpd_pure")),
        (tpd, Some(Splice::Movement), output!("tpd_movement")),
        (tpd, Some(Splice::Window), output!("tpd_wisp")),
        (tpd, Some(Splice::Half), output!("tpd_hasp")),
        (tpd, Some(Splice::Mean), output!("tpd_mean_pub")),
    ];
    let groups = price_index_calc();
    let mut compared = 0;
    for (method, splice, text) in published {
        let within = if method == geks { 1e-8 } else { 1.1e-8 };
        let mut levels: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let line = line.replace('"', "");
            let [group, month, expected] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (name, (months, products)) = groups.get_key_value(group).unwrap();
            let levels = levels.entry(name).or_insert_with(|| {
                let panel = panel(1, products, method == tpd);
                panel.levels(
                    method,
                    splice.unwrap_or(Splice::Mean),
                    if splice.is_some() { 13 } else { months.len() },
                )
            });
            let period = months.iter().position(|own| own == month).unwrap();
            let what = format!("{method:?} {splice:?} {group} {month}");
            assert_close(index(levels[period]), expected.parse().unwrap(), within, &what);
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

/// Monthly unit values of milk by product, from the data of the R package PriceIndices, compared with its fixed-base
/// Jevons index.
#[test]
fn milk() {
    let text = include_str!("../../../tests/golden/price_index/milk.csv");
    let mut lines = text.lines();
    let months: Vec<&str> = lines.next().unwrap().split(',').skip(1).collect();
    let products: Vec<Prices> = lines
        .map(|line| {
            line.split(',').skip(1).map(|price| price.parse().ok().map(|price| (price, 1.0))).collect()
        })
        .collect();
    let levels = panel(1, &products, false).levels(IndexMethod::JevonsFixed, Splice::Mean, months.len());
    for (month, expected) in [
        ("2019-01", 1.022_266_1),
        ("2019-02", 1.030_019_1),
        ("2019-03", 1.035_385_7),
        ("2019-04", 1.007_550_4),
        ("2020-01", 1.028_223_4),
    ] {
        let period = months.iter().position(|own| *own == month).unwrap();
        assert_close(index(levels[period]), expected, 5e-8, month);
    }
}

fn complete() -> impl Strategy<Value = Vec<Prices>> {
    (2..7_usize).prop_flat_map(|periods| {
        proptest::collection::vec(proptest::collection::vec(0.5..50.0_f64, periods), 2..9)
            .prop_map(|products| unweighted(&products.iter().map(Vec::as_slice).collect::<Vec<_>>()))
    })
}

fn with_gaps() -> impl Strategy<Value = Vec<Prices>> {
    let price = prop_oneof![2 => (0.5..50.0_f64).prop_map(Some), 1 => Just(None)];
    (2..8_usize).prop_flat_map(move |periods| {
        let product = proptest::collection::vec(price.clone(), periods);
        proptest::collection::vec(product, 3..30).prop_map(|products| {
            let two = |prices: &Vec<Option<f64>>| prices.iter().flatten().count() >= 2;
            let one = |price: Option<f64>| price.map(|price| (price, 1.0));
            products.into_iter().filter(two).map(|prices| prices.into_iter().map(one).collect()).collect()
        })
    })
}

/// Least squares by Gaussian elimination over all levels; `None` for levels that are not determined.
fn least_squares(rows: &[(Vec<(usize, f64)>, f64)], unknowns: usize) -> Vec<Option<f64>> {
    let mut matrix = vec![vec![0.0; unknowns + 1]; unknowns];
    for (terms, value) in rows {
        for &(one, factor) in terms {
            for &(other, by) in terms {
                matrix[one][other] += factor * by;
            }
            matrix[one][unknowns] += factor * value;
        }
    }
    let mut pivots = vec![None; unknowns];
    let mut top = 0;
    for column in 0..unknowns {
        let Some(best) =
            (top..unknowns).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))
        else {
            continue;
        };
        if matrix[best][column].abs() < 1e-9 {
            continue;
        }
        matrix.swap(top, best);
        let pivot = matrix[top].clone();
        for (at, row) in matrix.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            if at != top {
                row.iter_mut().zip(&pivot).for_each(|(cell, pivot)| *cell -= factor * pivot);
            }
        }
        pivots[column] = Some(top);
        top += 1;
    }
    let value = |column: usize| pivots[column].map(|row: usize| matrix[row][unknowns] / matrix[row][column]);
    (0..unknowns).map(value).collect()
}

/// The levels of one window against its first period, by least squares with a dummy variable for every level.
fn naive(method: IndexMethod, floor: u32, products: &[Prices]) -> Vec<Option<f64>> {
    let periods = products[0].len();
    let log = |prices: &Prices, period: usize| prices[period].map(|(price, _)| price.ln());
    let both = |one: usize, other: usize| -> Vec<f64> {
        products.iter().filter_map(|prices| Some(log(prices, other)? - log(prices, one)?)).collect()
    };
    let is_usable = |one: usize, other: usize| one != other && both(one, other).len() >= floor as usize;
    let mut joined = vec![0];
    while let Some(next) =
        (0..periods).find(|next| !joined.contains(next) && joined.iter().any(|&at| is_usable(at, *next)))
    {
        joined.push(next);
    }
    let mut rows = Vec::new();
    if method == IndexMethod::GeksJevons {
        for later in 0..periods {
            for earlier in 0..later {
                if joined.contains(&earlier) && joined.contains(&later) && is_usable(earlier, later) {
                    let changes = both(earlier, later);
                    let mean = changes.iter().sum::<f64>() / changes.len() as f64;
                    rows.push((vec![(later, 1.0), (earlier, -1.0)], mean));
                }
            }
        }
    } else {
        for (at, prices) in products.iter().enumerate() {
            for &period in &joined {
                if let Some(log) = log(prices, period) {
                    rows.push((vec![(period, 1.0), (periods + at, 1.0)], log));
                }
            }
        }
    }
    // The first level is 0, so its column is removed from every row.
    for (terms, _) in &mut rows {
        terms.retain(|(unknown, _)| *unknown != 0);
    }
    let unknowns = if method == IndexMethod::GeksJevons { periods } else { periods + products.len() };
    let found = least_squares(&rows, unknowns);
    let level = |period: usize| {
        if period == 0 { Some(0.0) } else { found[period].filter(|_| joined.contains(&period)) }
    };
    (0..periods).map(level).collect()
}

proptest! {
    #[test]
    fn with_everything_there_all_methods_agree(products in complete(), window in 2..7_usize) {
        let panel = panel(1, &products, false);
        let expected = panel.levels(IndexMethod::JevonsFixed, Splice::Mean, 2);
        for method in METHODS {
            for splice in SPLICES {
                for (found, expected) in panel.levels(method, splice, window.max(3)).iter().zip(&expected) {
                    prop_assert!((found.unwrap() - expected.unwrap()).abs() < 1e-9, "{:?} {:?}", method, splice);
                }
            }
        }
    }

    #[test]
    fn levels_are_the_least_squares(products in with_gaps(), floor in 1..4_u32) {
        prop_assume!(!products.is_empty());
        let panel = panel(floor, &products, false);
        for method in [IndexMethod::GeksJevons, IndexMethod::Tpd] {
            let expected = naive(method, floor, &products);
            let found = panel.levels(method, Splice::Mean, expected.len());
            for (period, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let is_same = match (found, expected) {
                    (Some(found), Some(expected)) => (found - expected).abs() < 1e-8,
                    (found, expected) => found.is_none() && expected.is_none(),
                };
                prop_assert!(is_same, "{:?} {}: {:?}, not {:?}", method, period, found, expected);
            }
        }
    }

    /// Neither the currency of the prices nor the order of products affects an index.
    #[test]
    fn neither_scale_nor_order_matters(products in with_gaps(), by in 0.01..100.0_f64) {
        prop_assume!(!products.is_empty());
        let scale = |prices: &Prices| prices.iter().map(|price| price.map(|(price, weight)| (price * by, weight))).collect();
        let scaled: Vec<Prices> = products.iter().rev().map(scale).collect();
        for method in METHODS {
            let one = panel(1, &products, false).levels(method, Splice::Half, 4);
            let other = panel(1, &scaled, false).levels(method, Splice::Half, 4);
            for (one, other) in one.iter().zip(&other) {
                prop_assert_eq!(one.is_some(), other.is_some());
                prop_assert!((one.unwrap_or(0.0) - other.unwrap_or(0.0)).abs() < 1e-8);
            }
        }
    }

    /// Without gaps, GEKS satisfies time reversal.
    #[test]
    fn time_reversal(products in complete()) {
        let back: Vec<Prices> = products.iter().map(|prices| prices.iter().rev().copied().collect()).collect();
        let levels = |products: &[Prices]| panel(1, products, false).levels(IndexMethod::GeksJevons, Splice::Mean, 9);
        let (there, back) = (levels(&products), levels(&back));
        let last = there.len() - 1;
        for period in 0..=last {
            let turned = back[last - period].unwrap() - back[last].unwrap();
            prop_assert!((there[period].unwrap() - turned).abs() < 1e-9);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The interval equals the interval computed from twenty separate panels, each without one group.
    #[test]
    fn leaving_a_group_out_is_another_panel(
        prices in proptest::collection::vec(proptest::collection::vec(0.5..50.0_f64, 5), 60..90),
        gaps in proptest::collection::vec(0..9_usize, 60..90),
    ) {
        let mut products = unweighted(&prices.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for (product, gap) in products.iter_mut().zip(gaps).filter(|(_, gap)| *gap < 5) {
            product[gap] = None;
        }
        let whole = panel(10, &products, false);
        for method in METHODS {
            let half = whole.half_widths(method, Splice::Mean, 3);
            prop_assert_eq!(half[0], None);
            let without = |group: usize| {
                let keeps = |(at, prices): (usize, &Prices)| (at % GROUPS != group).then(|| prices.clone());
                let kept: Vec<Prices> = products.iter().enumerate().filter_map(keeps).collect();
                panel(1, &kept, false).levels(method, Splice::Mean, 3)
            };
            let levels: Vec<_> = (0..GROUPS).map(without).collect();
            for period in 1..5 {
                let at: Vec<f64> = levels.iter().map(|levels| levels[period].unwrap()).collect();
                let mean = at.iter().sum::<f64>() / 20.0;
                let squares: f64 = at.iter().map(|level| (level - mean).powi(2)).sum();
                let expected = 2.093 * (0.95 * squares).sqrt();
                prop_assert!((half[period].unwrap() - expected).abs() < 1e-9, "{:?} {}", method, period);
            }
        }
    }
}
