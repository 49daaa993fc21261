/** Settings that are changed often, from the status bar. */
import * as vscode from "vscode";
import { change } from "../settings";
import type { Command } from "./command";

/** Targets that are offered, with the lanes of a wave on them; any other can be set in the settings. */
const TARGETS = [
  ["gfx906", 64],
  ["gfx90a", 64],
  ["gfx942", 64],
  ["gfx1030", 32],
  ["gfx1100", 32],
  ["gfx1201", 32],
] as const;

const POLICIES = [
  { label: "auto", detail: "What the project counts on: 32, or the wave where it only uses warpSize" },
  { label: "logical32", detail: "32 lanes on every target, as in CUDA" },
  { label: "native", detail: "As many as a wave of the target has, 64 or 32" },
];

export const chooseTargets: Command = async ({ session }) => {
  const { targets, wavePolicy, wavePolicyReason } = await session.status(vscode.window.activeTextEditor?.document.uri);
  const what = await vscode.window.showQuickPick(
    [
      { label: "Targets", description: targets.join(", ") },
      { label: "Lanes of a warp", description: wavePolicy, detail: wavePolicyReason },
    ],
    { placeHolder: "What to change" },
  );
  if (what?.label === "Targets") {
    await choose(targets);
  } else if (what !== undefined) {
    const policy = await vscode.window.showQuickPick(POLICIES, { placeHolder: "Lanes of a warp in the result" });
    if (policy !== undefined) {
      await change("wavePolicy", policy.label);
    }
  }
};

async function choose(now: readonly string[]): Promise<void> {
  const known = TARGETS.map(([label, lanes]) => ({ label, description: `waves of ${lanes} lanes` }));
  const others = now.filter((target) => known.every(({ label }) => label !== target));
  const items = [...known, ...others.map((label) => ({ label, description: "" }))];
  const chosen = await vscode.window.showQuickPick(
    items.map((item) => ({ ...item, picked: now.includes(item.label) })),
    { canPickMany: true, placeHolder: "GPUs that the result must run on" },
  );
  if (chosen !== undefined && chosen.length > 0) {
    await change("targets", chosen.map(({ label }) => label));
  }
}
