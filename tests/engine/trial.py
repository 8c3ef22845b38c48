"""One input, one snapshot id: built on this machine, on Spark, on Spark whose executors are killed, on Sail, and by tasks
that are each started twice at once. Runs and shards lie in S3 by moto, in a folder for each way; their bytes are compared.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import boto3
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

LISTINGS, DAYS, DAYS_PER_FILE = 30_000, 60, 5
BUCKET, SHARDS = "data", "4"
START_SECONDS = 60
# What pack is told, and build with it.
PACK = ["--linking", "off"]


def log(text: str) -> None:
    print(f"{time.monotonic() - BEGAN:6.1f} s  {text}", flush=True)


def fail(text: str) -> None:
    sys.exit(f"FAILED: {text}")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Trial:
    """Processes, the environment of all of them, and where things are."""

    def __init__(self, args: argparse.Namespace):
        self.binary, self.script, self.work = args.binary, args.script, Path(args.work)
        self.tools = Path(args.tools)
        self.processes: list[subprocess.Popen] = []
        self.s3_port = free_port()
        home = self.tools / "spark/lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages/pyspark"
        self.env = os.environ | {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.s3_port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": str(self.tools / "spark/bin/python"),
            "TMPDIR": str(self.work),
        }

    def start_s3(self) -> None:
        command = [str(self.tools / "spark/bin/moto_server"), "-p", str(self.s3_port)]
        self.start("moto", command, self.s3_port)
        self.s3 = boto3.client(
            "s3", endpoint_url=self.env["AWS_ENDPOINT_URL"], region_name="us-east-1",
            aws_access_key_id="test", aws_secret_access_key="test",
        )
        self.s3.create_bucket(Bucket=BUCKET)

    def start(self, name: str, command: list[str], port: int | None = None, env: dict | None = None) -> None:
        """Starts a process that lives as long as the trial, and waits for its port."""
        out = (self.work / f"{name}.log").open("wb")
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=env or self.env, cwd=self.work, start_new_session=True
        )
        self.processes.append(process)
        until = time.monotonic() + START_SECONDS
        while port and socket.socket().connect_ex(("127.0.0.1", port)):
            if process.poll() is not None or time.monotonic() > until:
                fail(f"{name} does not start:\n{(self.work / f'{name}.log').read_text()[-2000:]}")
            time.sleep(0.1)

    def close(self) -> None:
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def run(self, name: str, command: list[str], env: dict | None = None) -> str:
        """Runs a process to its end, and gives what it prints."""
        done = subprocess.run(command, capture_output=True, text=True, env=env or self.env, cwd=self.work)
        if done.returncode:
            fail(f"{name} ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def pricebook(self, *arguments: str) -> str:
        return self.run(f"pricebook {arguments[0]}", [self.binary, *arguments])

    def put_input(self) -> None:
        """Makes an input, and puts it into the bucket: observations in files of a few days."""
        made = self.work / "made"
        self.pricebook(
            "generate", "--listings", str(LISTINGS), "--days", str(DAYS), "--seed", "15", "--out", str(made)
        )
        for table in made.glob("part-*/observations.parquet"):
            rows = pq.read_table(table)
            # Rows cannot be picked from string views.
            plain = [pa.field(f.name, pa.string() if f.type == pa.string_view() else f.type) for f in rows.schema]
            rows = rows.cast(pa.schema(plain))
            days = pc.unique(rows["date"]).sort()
            for at in range(0, len(days), DAYS_PER_FILE):
                some = rows.filter(pc.is_in(rows["date"], days[at:at + DAYS_PER_FILE]))
                pq.write_table(some, table.with_name(f"days-{at:03}.parquet"))
            table.unlink()
        for path in made.rglob("*"):
            if path.is_file():
                table = "" if path.parent == made else "listings/" if path.name.startswith("listings") else "observations/"
                key = f"raw/{table}{path.relative_to(made)}"
                self.s3.upload_file(str(path), BUCKET, key)

    def id(self, name: str) -> str:
        """The snapshot that was made in a folder of this name."""
        return (self.work / name / "CURRENT").read_text().strip()

    def bytes_of_runs(self, name: str) -> dict[str, str]:
        """Objects of runs and shards by their names, with what tells their bytes."""
        found = {}
        for page in self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"runs-{name}/"):
            for entry in page.get("Contents", []):
                key = entry["Key"].removeprefix(f"runs-{name}/")
                if key.startswith(("run/", "shard/")):
                    found[key] = entry["ETag"]
        return found

    def arguments(self, name: str, binary: str) -> list[str]:
        return [
            "--binary", binary, "--runs", f"s3://{BUCKET}/runs-{name}", "--out", name, "--shards", SHARDS,
            "--pack", " ".join(PACK), "--", "--input", f"s3://{BUCKET}/raw/",
        ]

    def start_spark(self) -> str:
        """Starts a master and two workers, and gives the master's address."""
        port, home = free_port(), self.env["SPARK_HOME"]
        start = [f"{home}/bin/spark-class", "org.apache.spark.deploy"]
        master = [start[0], f"{start[1]}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        self.start("master", master, port)
        at = f"spark://127.0.0.1:{port}"
        for number in (1, 2):
            worker = [start[0], f"{start[1]}.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "2g"]
            worker += ["--webui-port", "0", "--work-dir", str(self.work / f"worker-{number}"), at]
            self.start(f"worker-{number}", worker)
        return at

    def spark(self, name: str, master: str, with_files: bool = False) -> None:
        submit = [f"{self.env['SPARK_HOME']}/bin/spark-submit", "--master", master, "--executor-memory", "1g"]
        submit += ["--conf", "spark.ui.enabled=false"]
        binary = self.binary
        if with_files:
            submit, binary = [*submit, "--files", self.binary], Path(self.binary).name
        self.told(name, self.run(name, [*submit, self.script, *self.arguments(name, binary)]))

    def sail(self, name: str) -> None:
        port, tools = free_port(), self.tools / "sail/bin"
        env = self.env | {"SAIL_MODE": "local-cluster", "PYSPARK_PYTHON": str(tools / "python")}
        del env["SPARK_HOME"]
        self.start("sail", [str(tools / "sail"), "spark", "server", "--port", str(port)], port, env)
        env["SPARK_REMOTE"] = f"sc://127.0.0.1:{port}"
        said = self.run(name, [str(tools / "python"), self.script, *self.arguments(name, self.binary)], env)
        self.told(name, said)

    def told(self, name: str, said: str) -> None:
        """Logs what the script says of its steps."""
        for line in said.splitlines():
            if line.startswith(("validate:", "merge:")):
                log(f"{name}: {line}")

    def twice(self, name: str) -> None:
        """Without an engine: every task is started twice at once, and both say the same."""
        plan = ["--plan", f"s3://{BUCKET}/runs-{name}/plan/plan.json"]
        more = {
            "validate": ["--runs", f"s3://{BUCKET}/runs-{name}", "--input", f"s3://{BUCKET}/raw/"],
            "merge": ["--shards", SHARDS],
        }
        for step, arguments in more.items():
            lines = self.pricebook("job", "plan", step, *plan, *arguments).splitlines()
            tasks = [json.loads(line) for line in lines]
            if not tasks:
                fail(f"{name}: nothing to {step}")
            for task in tasks:
                command = [self.binary, *task["argv"]]
                twins = [
                    subprocess.Popen(command, env=self.env, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    for _ in range(2)
                ]
                said = [twin.communicate() for twin in twins]
                names = {json.loads(out)["made"] for (out, _), twin in zip(said, twins) if twin.returncode == 0}
                if [twin.returncode for twin in twins] != [0, 0] or len(names) != 1:
                    fail(f"{name}: {step} {task['task']}: {[twin.returncode for twin in twins]} {said}")
            again = self.pricebook("job", "plan", step, *plan, *arguments)
            if again:
                fail(f"{name}: what is done is planned again: {again}")
            log(f"{name}: {step}: {len(tasks)} tasks, each twice")
        self.pricebook("job", "write", *plan, "--out", name, *PACK)


class Killer(threading.Thread):
    """Kills the executor of the first task of each step that it meets, with the tasks on it going on as zombies."""

    def __init__(self, binary: str, name: str):
        super().__init__(daemon=True)
        self.binary, self.mark = binary, f"runs-{name}/"
        self.killed: dict[str, int] = {}
        self.over = False

    def run(self) -> None:
        while not self.over and len(self.killed) < 2:
            for entry in Path("/proc").iterdir():
                if entry.name.isdigit():
                    self.look(int(entry.name))
            time.sleep(0.005)

    def look(self, pid: int) -> None:
        command = words(pid)
        step = command[command.index(self.binary) + 2] if self.binary in command[:-2] else ""
        if step not in ("validate", "merge") or step in self.killed or not any(self.mark in word for word in command):
            return
        while pid > 1:
            pid = parent(pid)
            if any("CoarseGrainedExecutorBackend" in word for word in words(pid)):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    return
                self.killed[step] = pid
                return


def words(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return 0


def trial(this: Trial) -> None:
    this.put_input()
    log(f"input: {LISTINGS} listings x {DAYS} days")
    this.pricebook("build", "--input", f"s3://{BUCKET}/raw/", "--out", "local", "--no-runs", *PACK)
    want = this.id("local")
    log(f"local: {want}")
    master = this.start_spark()
    this.spark("spark", master, with_files=True)
    killer = Killer(this.binary, "killed")
    killer.start()
    this.spark("killed", master)
    killer.over = True
    if set(killer.killed) != {"validate", "merge"}:
        fail(f"executors were killed during {sorted(killer.killed)} only")
    log(f"killed: executors {killer.killed}")
    this.sail("sail")
    this.twice("twice")
    runs = this.bytes_of_runs("spark")
    if not any(key.startswith("run/") for key in runs) or not any(key.startswith("shard/") for key in runs):
        fail(f"no runs and shards: {sorted(runs)[:5]}")
    for name in ("spark", "killed", "sail", "twice"):
        if this.id(name) != want:
            fail(f"{name} made {this.id(name)}, and the build {want}")
        if this.bytes_of_runs(name) != runs:
            fail(f"{name} left other runs: {sorted(set(this.bytes_of_runs(name).items()) ^ set(runs.items()))[:5]}")
    log(f"one snapshot, and {len(runs)} objects with the same bytes, five ways")


if __name__ == "__main__":
    BEGAN = time.monotonic()
    parser = argparse.ArgumentParser()
    for name in ("binary", "script", "tools", "work"):
        parser.add_argument(f"--{name}", required=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("FAILED: no time is left"))
    here = Trial(parser.parse_args())
    try:
        here.start_s3()
        trial(here)
    finally:
        here.close()
