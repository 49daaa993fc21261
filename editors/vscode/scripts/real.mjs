// Tries the extension in the real editor: starts code-server, which is VS Code with its window in a browser, installs the
// .vsix, drives a browser without a screen by keys as a user would, and reads what the window shows. Ends with 1 when
// something is missing. Pictures of each step are left in out/pictures.
//
//   CODE_SERVER="node_modules/.bin/code-server" CHROMIUM="chromium" node scripts/real.mjs hipshift-0.1.0.vsix
//
// Both are commands of a shell. The package `code-server` wants the Node.js that it names. It builds native modules when it
// is installed; without them (`npm install --ignore-scripts` in it and in its lib/vscode) only the log is not written.
// HIPSHIFT_BIN is the program, else ../../target/debug/hipshift.
import { Buffer } from "node:buffer";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE = 30_000;
const CONTROL = 2;
const QUICK_INPUT = ".quick-input-widget:not([style*='display: none'])";

const server = process.env.CODE_SERVER ?? "code-server";
const browser = process.env.CHROMIUM ?? "chromium";
const hipshift = resolve(process.env.HIPSHIFT_BIN ?? "../../target/debug/hipshift");
const vsix = resolve(process.argv[2] ?? "hipshift-0.1.0.vsix");
const pictures = resolve("out/pictures");

const folder = mkdtempSync(join(tmpdir(), "hipshift-real-"));
const started = [];
try {
  await run();
  console.log("all is well");
} catch (error) {
  console.error(`failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  await end();
}

async function run() {
  prepare();
  const port = await freePort();
  start(server, [...serverArguments(), "--bind-addr", `127.0.0.1:${port}`, join(folder, "project")]);
  const shown = await openWindow(`http://127.0.0.1:${port}/?folder=${join(folder, "project")}`);

  await shown.open("port.cu");
  await shown.waitFor("the status bar", ".statusbar-item", "HIP: gfx90a gfx942 gfx1100");
  await shown.command("Problems: Focus on Problems View");
  for (const code of ["H002", "K005", "A005", "A002", "CMakeLists.txt", "B001"]) {
    await shown.waitFor(`${code} among the problems`, ".markers-panel .monaco-list-row", code);
  }
  await shown.picture("problems");

  await shown.command("View: Focus First Editor Group");
  await shown.command("hipshift: Show as HIP Beside");
  await shown.waitFor("the conversion beside", ".view-line", "hipStreamSynchronize(stream);");
  await shown.picture("beside");
  await shown.goTo("15");
  await shown.type("cudaError_t more;");
  await shown.waitFor("the conversion of what is typed", ".view-line", "hipError_t more;");

  // What was typed and not saved is gone with the document, and so is what was found there.
  await shown.type(" void other() { cudaGrumble(); }");
  const isTold = async () => (await shown.texts(".markers-panel .monaco-list-row")).some((row) => row.includes("cudaGrumble"));
  await until("the finding of what is typed", isTold);
  await shown.command("View: Revert and Close Editor");
  await until("the end of that finding", async () => !(await isTold()));
  await shown.open("port.cu");

  await shown.goTo("10:8");
  await shown.key(".", CONTROL);
  await shown.waitFor("fixes", ".action-widget .monaco-list-row", "Rename to `hipDeviceSetSharedMemConfig`");
  await shown.picture("fixes");
  await shown.key("Enter");
  await shown.waitFor("the fix in the file", ".editor-group-container.active .view-line", "hipDeviceSetSharedMemConfig(");

  await shown.command("hipshift: Compare with HIP");
  await shown.waitFor("the difference", ".monaco-diff-editor .view-line", "hipStream_t");
  if ((await shown.texts(".monaco-diff-editor .view-line")).some((line) => line.includes("cudaGrumble"))) {
    throw new Error("the converted document has what was not saved");
  }
  await shown.picture("difference");
  // From there, too: a difference stands for the file.
  await shown.command("hipshift: Convert File to HIP");
  await shown.waitFor("the preview of the conversion", ".monaco-list-row", "hipStream_t stream");
  await shown.picture("preview");
  await shown.button("Apply");
  const converted = () => readFileSync(join(folder, "project/port.cu"), "utf8").includes("hipStreamSynchronize");
  await until("the conversion on the disk", converted);
  await shown.picture("converted");

  const log = globSync(join(folder, "data/logs/*/exthost*/hipshift.hipshift/hipshift.log"));
  const failed = log.flatMap((file) => readFileSync(file, "utf8").split("\n")).filter((line) => line.includes("[error]"));
  if (failed.length > 0) {
    throw new Error(`the log has:\n${failed.join("\n")}`);
  }
  console.log(log.length > 0 ? "ok: log" : "no log was written");
}

/** A project, the settings, and the installed extension. */
function prepare() {
  for (const needed of [hipshift, vsix]) {
    if (!existsSync(needed)) {
      throw new Error(`there is no ${needed}`);
    }
  }
  for (const name of ["project", "data/User", "extensions"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  mkdirSync(pictures, { recursive: true });
  copyFileSync("../../fixtures/lint/port.cu", join(folder, "project/port.cu"));
  const build = ["cmake_minimum_required(VERSION 3.21)", "project(port LANGUAGES CXX CUDA)"];
  const text = [...build, "add_compile_options(-maxrregcount=64)", "add_executable(port port.cu)", ""].join("\n");
  writeFileSync(join(folder, "project/CMakeLists.txt"), text);
  writeFileSync(join(folder, "config.yaml"), "auth: none\n");
  const settings = {
    "hipshift.path": hipshift,
    "chat.disableAIFeatures": true,
    "editor.fontFamily": "DejaVu Sans Mono, monospace",
    "editor.minimap.enabled": false,
    "extensions.autoCheckUpdates": false,
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
  };
  writeFileSync(join(folder, "data/User/settings.json"), JSON.stringify(settings));
  const install = [...serverArguments(), "--install-extension", vsix];
  const { status, stdout, stderr } = spawnSync("sh", shell(server, install), { encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`${vsix} was not installed: ${stdout}${stderr}`);
  }
}

function serverArguments() {
  const places = ["--config", "config.yaml", "--user-data-dir", "data", "--extensions-dir", "extensions"];
  const named = places.map((word) => (word.startsWith("--") ? word : join(folder, word)));
  return [...named, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
}

function shell(command, args) {
  return ["-c", `exec ${command} "$@"`, "sh", ...args];
}

/** Starts a program that runs until the end; its own group, so that what it starts ends with it. */
function start(command, args) {
  started.push(spawn("sh", shell(command, args), { detached: true, stdio: "ignore" }));
}

async function end() {
  for (const child of started) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  await sleep(500);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Waits until `ask` answers with something, and returns it. */
async function until(what, ask) {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) {
    const answer = await Promise.resolve().then(ask).catch(() => undefined);
    if (answer) {
      return answer;
    }
    await sleep(100);
  }
  throw new Error(`${what}: not seen within ${PATIENCE / 1000} s`);
}

/** Opens an address in a new browser, and returns what one can do there. */
async function openWindow(address) {
  await until("code-server", async () => (await globalThis.fetch(address)).ok);
  const profile = join(folder, "profile");
  // Builds often run as root in a container, where the browser's own sandbox cannot start.
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,800"];
  start(browser, [...options, "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"]);
  const [port] = await until("the browser", () => readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n"));
  const pages = await until("a page", async () => (await globalThis.fetch(`http://127.0.0.1:${port}/json/list`)).json());
  const send = await connect(pages.find(({ type }) => type === "page").webSocketDebuggerUrl);
  await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false });
  await send("Page.navigate", { url: address });
  const shown = actions(send);
  await shown.waitFor("the explorer", ".explorer-folders-view .monaco-list-row", "port.cu");
  return shown;
}

/** Speaks the browser's protocol: returns a function that sends a request and waits for the answer. */
async function connect(address) {
  const socket = new globalThis.WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("the browser does not answer"));
  });
  const waiting = new Map();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const done = waiting.get(id);
    waiting.delete(id);
    done?.(error === undefined ? result : { error });
  };
  return (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}

/** What a user does in the window. */
function actions(send) {
  const evaluate = async (expression) => (await send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
  // The editor shows spaces as those that do not break.
  const texts = (selector) => {
    const elements = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
    return evaluate(`${elements}.map((element) => element.textContent.replaceAll("\\u00a0", " "))`);
  };
  const waitFor = (what, selector, text) =>
    until(what, async () => (await texts(selector)).some((shown) => shown.includes(text)));
  const type = (text) => send("Input.insertText", { text });
  const key = async (name, modifiers = 0) => {
    const [code, number] = { Enter: ["Enter", 13], ".": ["Period", 190], p: ["KeyP", 80], g: ["KeyG", 71] }[name];
    const text = name === "Enter" ? { text: "\r" } : {};
    const pressed = { key: name, code, modifiers, windowsVirtualKeyCode: number, ...text };
    await send("Input.dispatchKeyEvent", { type: pressed.text ? "keyDown" : "rawKeyDown", ...pressed });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...pressed });
  };
  /** Opens the input by a key, types into it, and takes what is offered once it is `wanted`. */
  const pick = async (name, text, wanted) => {
    await key(name, CONTROL);
    const isOpen = `document.activeElement.closest(${JSON.stringify(QUICK_INPUT)}) !== null`;
    await until("the input at the top", () => evaluate(isOpen));
    await type(text);
    await waitFor(wanted, `${QUICK_INPUT} .monaco-list-row.focused`, wanted);
    // The list may just be made anew, and then takes no key.
    for (let tries = 0; tries < 10 && (await evaluate(isOpen)); tries += 1) {
      await key("Enter");
      await sleep(500);
    }
    await until("the end of the input at the top", async () => !(await evaluate(isOpen)));
  };
  return {
    texts,
    waitFor,
    type,
    key,
    command: (title) => pick("p", `>${title}`, title),
    goTo: (place) => pick("g", place, ""),
    async open(name) {
      await pick("p", name, name);
      await waitFor(name, ".editor-group-container.active .tab.active", name);
    },
    async button(title) {
      const found = `[...document.querySelectorAll(".monaco-button")].find((button) => button.textContent === "${title}")`;
      const place = await until(title, () => evaluate(`${found}?.getBoundingClientRect().toJSON()`));
      const click = { x: place.x + 5, y: place.y + 5, button: "left", clickCount: 1 };
      await send("Input.dispatchMouseEvent", { type: "mousePressed", ...click });
      await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...click });
    },
    async picture(name) {
      await sleep(500);
      const { data } = await send("Page.captureScreenshot", { format: "png" });
      writeFileSync(join(pictures, `${name}.png`), Buffer.from(data, "base64"));
      console.log(`ok: ${name}`);
    },
  };
}
