// Makes hipshift-VERSION.vsix, or the file that is named: bundles the extension, puts the licences beside it, and lets vsce
// pack what package.json lists.
import { readFileSync, writeFileSync } from "node:fs";
import { createVSIX } from "@vscode/vsce";
import "./build.mjs";

const licences = ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(`../../${name}`, "utf8"));
writeFileSync("LICENSE", licences.join("\n"));
await createVSIX({ dependencies: false, packagePath: process.argv[2] ?? ".", allowMissingRepository: true });
