/**
 * The problem matcher for `hipshift validate`, on what it printed for the programs of fixtures/validate/errors
 * (test/data/validate.txt): `hipshift validate fixtures/validate/errors --executor none`
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { matched } from "../host/matcher";

const output = readFileSync("test/data/validate.txt", "utf8");

it("finds every error of the compiler, and nothing else", () => {
  const found = matched("hipshift-validate", output);
  const errors = output.split("\n").filter((line) => line.includes(": error: "));
  assert.equal(found.length, errors.length);
  assert.equal(found.length, 37);
  assert.deepEqual(found[0], {
    file: "fixtures/validate/errors/names.cu",
    line: "15",
    column: "29",
    severity: "error",
    message: "use of undeclared identifier 'factor'",
  });
});

it("keeps the colons of a message", () => {
  const [found] = matched("hipshift-validate", "a.cu:1:2: warning: no type 'a::b'; use 'c::d'\n");
  assert.equal(found?.message, "no type 'a::b'; use 'c::d'");
  assert.equal(found.severity, "warning");
});
