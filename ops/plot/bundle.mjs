// Bundles marks.mjs, and puts the licences of what is in the bundle before it.
//   node bundle.mjs OUT

import { readFile, readdir, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const [, , out] = process.argv;
const { outputFiles, metafile } = await build({
  entryPoints: ["marks.mjs"],
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  metafile: true,
  write: false,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
  if (name) packages.add(name);
}
// Packages by the text of their licence, so that each text stands once.
const byText = new Map();
for (const name of [...packages].sort()) {
  const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
  const file = (await readdir(`node_modules/${name}`)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence`);
  const text = (await readFile(`node_modules/${name}/${file}`, "utf8")).replaceAll("\r", "").trim();
  byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
}
const notes = [...byText].map(([text, names]) => `${names.join(", ")}\n\n${text.replaceAll("*/", "* /")}`);
await writeFile(out, `/*! Made by ops/vendor-plot of these packages:\n\n${notes.join("\n\n----\n\n")}\n*/\n${outputFiles[0].text}`);
