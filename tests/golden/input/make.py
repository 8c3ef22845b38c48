#!/usr/bin/env python3
"""Makes the typed files that the tests of input read. They are committed; this says how they came about.

    python3 -m venv venv
    venv/bin/pip install pyarrow==26.0.1 duckdb==2.0.0 pandas==3.1.1 openpyxl==3.1.5 xlwt==1.3.0 odfpy==1.4.1
    venv/bin/python tests/golden/input/make.py

Every file holds the same three observations (the first price is missing), each as its program writes such values.
"""

import datetime
import decimal
import pathlib

import duckdb
import odf.opendocument
import odf.table
import odf.text
import openpyxl
import pandas
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import xlwt

HERE = pathlib.Path(__file__).parent
UTC = datetime.timezone.utc
DAYS = [datetime.date(2026, 10, 29), datetime.date(2026, 10, 30), datetime.date(2026, 10, 31)]
INSTANTS = [datetime.datetime(day.year, day.month, day.day, 22, 30, 0, 250_000) for day in DAYS]
PRICES = [None, decimal.Decimal("4.99"), decimal.Decimal("1299.00")]
IDS = ["4711", "a longer id than fits into a view", ""]
COUNTRIES = ["ca", "us", "ca"]


def decimals(kind):
    return pyarrow.array(PRICES, kind)


def instants(unit, zone=None):
    values = pyarrow.array(INSTANTS, pyarrow.timestamp("us")).cast(pyarrow.timestamp(unit), safe=False)
    return values.cast(pyarrow.timestamp(unit, "UTC")).cast(pyarrow.timestamp(unit, zone)) if zone else values


def typed_table():
    """A column of every type that has a text; the first value of most is missing."""
    columns = {
        "text": pyarrow.array(IDS),
        "large_text": pyarrow.array(IDS, pyarrow.large_string()),
        "view": pyarrow.array(IDS, pyarrow.string_view()),
        "binary": pyarrow.array([text.encode() for text in IDS], pyarrow.binary()),
        "category": pyarrow.array(COUNTRIES).dictionary_encode(),
        "small_category": pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([1, None, 0], pyarrow.int8()), pyarrow.array(["us", "ca"], pyarrow.large_string())
        ),
        "number_category": pyarrow.array([7, None, 7], pyarrow.int64()).dictionary_encode(),
        "flag": pyarrow.array([None, True, False]),
        "nothing": pyarrow.nulls(3),
        "double": pyarrow.array([None, 4.99, 1299.0]),
        "single": pyarrow.array([None, 4.99, 1299.0], pyarrow.float32()),
        "decimal9": decimals(pyarrow.decimal128(9, 2)),
        "decimal18": decimals(pyarrow.decimal128(18, 4)),
        "decimal38": decimals(pyarrow.decimal128(38, 10)),
        "decimal76": decimals(pyarrow.decimal256(76, 20)),
        "day": pyarrow.array(DAYS),
        "day64": pyarrow.array(DAYS, pyarrow.date64()),
    }
    for bits in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        columns[bits] = pyarrow.array([None, 7, 100], getattr(pyarrow, bits)())
    for unit in ("s", "ms", "us", "ns"):
        columns[f"instant_{unit}"] = instants(unit)
        columns[f"zoned_{unit}"] = instants(unit, "America/New_York")
    columns["time"] = pyarrow.array([datetime.time(1, 2), None, None])
    columns["list"] = pyarrow.array([[1], None, []])
    return pyarrow.table(columns)


def stream(table, name, compression=None, close=True, **options):
    options = pyarrow.ipc.IpcWriteOptions(compression=compression, **options)
    with pyarrow.OSFile(str(HERE / name), "wb") as sink:
        writer = pyarrow.ipc.new_stream(sink, table.schema, options=options)
        writer.write_table(table.slice(0, 2))
        writer.write_batch(pyarrow.RecordBatch.from_pylist([], table.schema))
        writer.write_table(table.slice(2))
        if close:
            writer.close()


def arrow():
    table = typed_table()
    narrow = {
        "decimal32": decimals(pyarrow.decimal32(9, 2)),
        "decimal64": decimals(pyarrow.decimal64(18, 2)),
        "empty": pyarrow.array(["", None, ""]),
        "void": pyarrow.nulls(3, pyarrow.large_string()),
    }
    for name, column in narrow.items():
        table = table.append_column(name, column)
    stream(table, "typed.arrows")
    stream(table, "typed.zstd.arrows", "zstd")
    stream(table, "typed.lz4.arrows", "lz4")
    stream(table.select(["text"]), "unclosed.arrows", close=False)
    stream(table.select(["text", "text"]), "twice.arrows")
    growing = [["us"], ["us", "ca"]]
    schema = pyarrow.schema([("country", pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))])
    for name, deltas in (("replaced.arrows", False), ("growing.arrows", True)):
        options = pyarrow.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)
        with pyarrow.OSFile(str(HERE / name), "wb") as sink:
            with pyarrow.ipc.new_stream(sink, schema, options=options) as writer:
                for words in growing:
                    keys = pyarrow.array([len(words) - 1, 0], pyarrow.int8())
                    column = pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(words))
                    writer.write_batch(pyarrow.record_batch([column], schema=schema))
    pyarrow.feather.write_feather(table.select(["text", "decimal9", "category"]), str(HERE / "file.arrow"))


def parquet():
    table = typed_table()
    write = pyarrow.parquet.write_table
    write(table, HERE / "typed.parquet", row_group_size=2, compression="none")
    some = table.select(["text", "category", "decimal9", "decimal18", "decimal38", "day", "zoned_us"])
    for codec in ("snappy", "gzip", "brotli", "zstd", "lz4"):
        write(some, HERE / f"{codec}.parquet", compression=codec, use_dictionary=codec != "gzip")
    write(
        table.select(["decimal9", "decimal18", "decimal38", "instant_us"]),
        HERE / "integers.parquet",
        store_decimal_as_integer=True,
        use_deprecated_int96_timestamps=True,
        data_page_version="2.0",
    )
    frame = pandas.DataFrame(
        {
            "country": pandas.Categorical(COUNTRIES),
            "date": pandas.to_datetime(INSTANTS),
            "price": [float(price) if price is not None else None for price in PRICES],
            "review_count": pandas.array([None, 7, 100], "Int16"),
        }
    )
    frame.to_parquet(HERE / "pandas.parquet")
    duckdb.sql(
        f"""
        copy (select * from (values
            ('ca', '4711', date '2026-10-29', null::decimal(4, 2), timestamptz '2026-10-29 22:30:00.25+00', 1::tinyint),
            ('us', 'b', date '2026-10-30', 4.99, timestamptz '2026-10-30 22:30:00.25+00', null),
            ('ca', 'c', date '2026-10-31', 12.99, timestamptz '2026-10-31 22:30:00.25+00', 3))
          as rows(country, product_id, date, price, seen, stock))
        to '{HERE / "duckdb.parquet"}' (format parquet)
        """
    )


HEADER = ["country", "Product ID", "date", "price", "seen", "in_stock", "note"]


def sheet_rows():
    for at in range(3):
        price = None if PRICES[at] is None else float(PRICES[at])
        yield [COUNTRIES[at], IDS[at], DAYS[at], price, INSTANTS[at], at == 1, "a & b\nc" if at == 2 else None]


def xlsx():
    book = openpyxl.Workbook()
    book.active.title = "Read me"
    book.active.append(["Prices of acme", None, 2026])
    sheet = book.create_sheet("Prices")
    for column, name in enumerate(HEADER, 2):
        sheet.cell(3, column, name)
    for at, values in enumerate(sheet_rows()):
        # A row stays empty between the second and the third.
        for column, value in enumerate(values, 2):
            sheet.cell(4 + at + at // 2, column, value)
    sheet["E4"] = "=1/0"
    sheet["J4"] = "beside the table"
    book.create_sheet("Empty")
    book.save(HERE / "prices.xlsx")
    early = openpyxl.Workbook()
    early.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    early.active.append(["date"])
    early.active.append([DAYS[0]])
    early.save(HERE / "mac.xlsx")


def xls():
    book = xlwt.Workbook()
    book.add_sheet("Read me").write(0, 0, "Prices of acme")
    sheet = book.add_sheet("Prices")
    day, instant = xlwt.easyxf(num_format_str="YYYY-MM-DD"), xlwt.easyxf(num_format_str="YYYY-MM-DD HH:MM:SS")
    for column, name in enumerate(HEADER, 1):
        sheet.write(2, column, name)
    for at, values in enumerate(sheet_rows()):
        for column, value in enumerate(values, 1):
            style = {2: day, 4: instant}.get(column - 1)
            row = 3 + at + at // 2
            sheet.write(row, column, value, style) if style else sheet.write(row, column, value)
    book.save(str(HERE / "prices.xls"))


def ods():
    book = odf.opendocument.OpenDocumentSpreadsheet()
    first = odf.table.Table(name="Read me")
    book.spreadsheet.addElement(first)
    sheet = odf.table.Table(name="Prices")
    book.spreadsheet.addElement(sheet)

    def cell(value):
        if value is None:
            return odf.table.TableCell()
        if isinstance(value, bool):
            return odf.table.TableCell(valuetype="boolean", booleanvalue=str(value).lower())
        if isinstance(value, float):
            return odf.table.TableCell(valuetype="currency", currency="CAD", value=value)
        if isinstance(value, (datetime.date, datetime.datetime)):
            return odf.table.TableCell(valuetype="date", datevalue=value.isoformat())
        made = odf.table.TableCell(valuetype="string")
        for line in value.split("\n"):
            made.addElement(odf.text.P(text=line))
        return made

    def row(values, **how):
        made = odf.table.TableRow(**how)
        made.addElement(odf.table.TableCell(numbercolumnsrepeated=1))
        for value in values:
            made.addElement(cell(value))
        made.addElement(odf.table.TableCell(numbercolumnsrepeated=1000))
        sheet.addElement(made)

    row([], numberrowsrepeated=2)
    row(HEADER)
    rows = list(sheet_rows())
    row(rows[0])
    row(rows[1], numberrowsrepeated=2)
    row([])
    row(rows[2])
    row([], numberrowsrepeated=1_000_000)
    book.save(str(HERE / "prices.ods"))


if __name__ == "__main__":
    arrow()
    parquet()
    xlsx()
    xls()
    ods()
    for path in sorted(HERE.iterdir()):
        print(path.name, path.stat().st_size)
        assert path.stat().st_size < 20_000 or path.suffix == ".py", path
