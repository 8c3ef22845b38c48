"""Builds a snapshot on Apache Spark: the engine starts, retries and counts tasks, and pricebook does each of them.

    spark-submit --files pricebook docs/engine/spark.py --binary pricebook --runs s3://bucket/runs --out snapshots \
        -- --input s3://bucket/raw/

docs/engine.md has the rest. No data passes through here: tasks read and write the store.
"""
import argparse, json, os, shlex, subprocess, sys, uuid  # noqa: E401

from pyspark.sql import SparkSession

RESULT = "task string, code int, seconds double, stdout string, stderr string"
FINAL, STDERR_BYTES = (0, 64, 65), 4096  # Done, wrong command line, bad input: another try would say the same.


def program(binary):
    """A path of every machine, or the name of a file that came with the job."""
    if os.path.exists(binary):
        return os.path.abspath(binary)
    from pyspark import SparkFiles
    return SparkFiles.get(binary)


def tasks(binary):
    def work(batches):
        import pyarrow, time  # noqa: E401
        for row in (row for batch in batches for row in batch.to_pylist()):
            start = time.monotonic()
            done = subprocess.run([program(binary), *row["argv"]], capture_output=True)
            sys.stderr.buffer.write(done.stderr)
            said = [text[-STDERR_BYTES:].decode(errors="replace") for text in (done.stdout, done.stderr)]
            if done.returncode not in FINAL:
                raise RuntimeError(f"task {row['task']} ended with {done.returncode}: {said[1]}")
            columns = [row["task"], done.returncode, time.monotonic() - start, *said]
            types = [pyarrow.string(), pyarrow.int32(), pyarrow.float64(), pyarrow.string(), pyarrow.string()]
            arrays = [pyarrow.array([value], kind) for value, kind in zip(columns, types)]
            yield pyarrow.RecordBatch.from_arrays(arrays, ["task", "code", "seconds", "stdout", "stderr"])
    return work


def run(spark, binary, step, arguments):
    """Plans a step, and has the engine do its tasks, each in a partition of its own."""
    planned = subprocess.run([program(binary), "job", "plan", step, *arguments], check=True, stdout=subprocess.PIPE)
    rows = [(task["task"], task["argv"]) for task in map(json.loads, planned.stdout.splitlines())]
    frame = spark.createDataFrame(rows, "task string, argv array<string>").coalesce(1).repartition(len(rows) or 1)
    results = frame.mapInArrow(tasks(binary), RESULT).collect()
    for result in (result for result in results if result.code):
        sys.exit(f"{step} {result.task} ended with {result.code}: {result.stderr}")
    seconds = sum(result.seconds for result in results)
    print(f"{step}: {len(results)} tasks, {seconds:.1f} s of their time", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--binary", default="pricebook", help="pricebook on every machine, or of --files")
    parser.add_argument("--runs", required=True, help="folder or address for runs, which every machine sees")
    parser.add_argument("--plan", help="file or address for the plan, which every machine sees [default: below --runs]")
    parser.add_argument("--out", default="snapshots", help="directory of snapshots on this machine")
    parser.add_argument("--each", default="", help='arguments of every task: "--memory 4G --threads 2"')
    parser.add_argument("--shards", help="into how many tasks merging is cut, a power of two [default: by their memory]")
    parser.add_argument("--pack", default="", help='more arguments of job write: "--linking off --memory 16G"')
    parser.add_argument("input", nargs="+", help="what is read, as pricebook build takes it, behind --")
    args = parser.parse_args()
    plan = ["--plan", args.plan or f"{args.runs.rstrip('/')}/plan/{uuid.uuid4()}.json"]
    session = SparkSession.builder.appName("pricebook").getOrCreate()
    run(session, args.binary, "validate", [*plan, "--runs", args.runs, *shlex.split(args.each), *args.input])
    run(session, args.binary, "merge", [*plan, *shlex.split(args.each), *(["--shards", args.shards] if args.shards else [])])
    written = subprocess.Popen([program(args.binary), "job", "write", *plan, "--out", args.out, *shlex.split(args.pack)])
    session.stop()  # Nobody waits for what one machine does.
    sys.exit(written.wait())
