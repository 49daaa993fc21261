import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  { ignores: ["out/", "node_modules/"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [typescript.configs.strictTypeChecked, typescript.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in messages are counts.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "max-lines": ["error", 250],
      "max-lines-per-function": ["error", { max: 60, skipComments: true }],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // `describe` and `it` of node:test return promises that the runner waits for.
      "@typescript-eslint/no-floating-promises": "off",
      "max-lines-per-function": "off",
    },
  },
  {
    files: ["test/host/*.ts"],
    // Some classes only have to be there, for the client library to derive from.
    rules: { "@typescript-eslint/no-extraneous-class": "off" },
  },
  { files: ["scripts/*.mjs"], languageOptions: { globals: { console: "readonly", process: "readonly" } } },
);
