// Bundles the extension into one file; `vscode` is what the editor itself provides. Beside it stand the licences of the
// packages that went into the bundle.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  legalComments: "none",
  metafile: true,
});

const folders = Object.keys(metafile.inputs).map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
const packages = [...new Set(folders)].filter((folder) => folder !== undefined).sort();
const licences = packages.map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) {
    throw new Error(`${folder} has no licence`);
  }
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync("out/THIRD-PARTY.txt", licences.join(`\n${"-".repeat(80)}\n\n`));
