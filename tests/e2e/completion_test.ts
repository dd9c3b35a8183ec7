/**
 * Tests completion in real shells, with keys typed in a terminal, the script from `svc completion`,
 * and names from the platform. CI tests only bash and two of the lines. `COMPLETION_TESTS=all`
 * tests all installed shells. PowerShell is not tested because Debian has no package for it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { programCommand } from "../../scripts/_program.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { startOnTerminal } from "../helpers/terminal.ts";

interface Row {
  readonly typed: string;
  readonly completed: string;
}

/** Lines whose last word is not also the start of another command or item. */
const ROWS: readonly Row[] = [
  { typed: "svc promot", completed: "svc promote" },
  { typed: "svc projects info kestr", completed: "svc projects info kestrel-boats" },
  {
    typed: "svc env list --project-id kestrel-boats --environment stag",
    completed: "svc env list --project-id kestrel-boats --environment staging-blue",
  },
  {
    typed: "svc domains remove --project-id kestrel-boats boa",
    completed: "svc domains remove --project-id kestrel-boats boats.example.com",
  },
  {
    typed: "svc db info --project-id kestrel-boats harb",
    completed: "svc db info --project-id kestrel-boats harbour-records",
  },
];

const isWhole = Deno.env.get("COMPLETION_TESTS") === "all";
const LINES = isWhole ? ROWS : ROWS.slice(0, 2);

/**
 * The CLI waits two seconds for the platform. On a busy machine, users have to press the key again.
 */
const ATTEMPTS = 10;

const TAB = "\t";
/** The key that prints the typed line in each of the shells below. */
const SHOW_LINE = "\x18";

interface Shell {
  readonly program: readonly string[];
  /** Loads the script, and makes {@link SHOW_LINE} print `LINE[…]`. */
  readonly setUp: string;
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    program: ["bash", "--norc", "--noprofile", "-i"],
    setUp:
      'source <(svc completion bash); bind -x \'"\\C-x": printf "LINE[%s]\\n" "$READLINE_LINE"\'',
  },
  zsh: {
    program: ["zsh", "-f", "-i"],
    setUp: "autoload -Uz compinit; compinit -u -D; source <(svc completion zsh); " +
      'show() { print -r -- "LINE[$BUFFER]" }; zle -N show; bindkey "^X" show',
  },
};

async function isInstalled(shell: string): Promise<boolean> {
  const { success } = await new Deno.Command(shell, { args: ["--version"], stdout: "null" })
    .output().catch(() => ({ success: false }));
  return success;
}

/**
 * Creates a project with an environment, a domain and, in the long form, a database. Puts `svc` on
 * the search path.
 */
async function furnish(box: Sandbox): Promise<Record<string, string>> {
  await box.start();
  await box.json(["projects", "create", "--name", "kestrel-boats"]);
  await box.json(["environments", "create", "staging-blue", "--project-id", "kestrel-boats"]);
  await box.json([
    "domains",
    "add",
    "boats.example.com",
    "--project-id",
    "kestrel-boats",
    "--environment",
    "production",
  ]);
  if (isWhole) {
    await box.json(["db", "create", "--name", "harbour-records", "--project-id", "kestrel-boats"]);
  }
  const bin = join(box.folder, "bin");
  await Deno.mkdir(bin);
  const command = programCommand().map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(join(bin, "svc"), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return { ...box.env, PATH: `${bin}:${box.env.PATH}` };
}

async function completeOnTerminal(shell: Shell, cwd: string, env: Record<string, string>) {
  const terminal = startOnTerminal([], { cwd, env, program: shell.program });
  try {
    // The word is split into two parts, so that the echoed input does not look like the response.
    await terminal.type(`${shell.setUp}; echo REA''DY\n`);
    await terminal.shows(/READY/);
    for (const { typed, completed } of LINES) {
      await terminal.type(typed);
      let line = typed;
      for (let attempt = 0; attempt < ATTEMPTS && line === typed; attempt++) {
        const from = terminal.screen().length;
        await terminal.type(`${TAB}${SHOW_LINE}`);
        line = (await terminal.shows(/LINE\[([^\]]*)\]/, from))[1]!.trimEnd();
      }
      assert.equal(line, completed);
      await terminal.type("\x15");
    }
  } finally {
    await terminal.hangUp();
  }
}

async function completeInFish(cwd: string, env: Record<string, string>): Promise<void> {
  for (const { typed, completed } of LINES) {
    const asked = `svc completion fish | source; complete -C '${typed}'`;
    let answer = "";
    for (let attempt = 0; attempt < ATTEMPTS && answer === ""; attempt++) {
      const { stdout } = await new Deno.Command("fish", {
        args: ["--no-config", "-c", asked],
        cwd,
        env,
        clearEnv: true,
        stdin: "null",
      }).output();
      answer = new TextDecoder().decode(stdout).trimEnd();
    }
    const words = answer.split("\n").map((line) => line.split("\t")[0]);
    assert.deepEqual(words, [completed.slice(completed.lastIndexOf(" ") + 1)]);
  }
}

Deno.test({
  name: "shells complete commands, projects, environments, domains and databases",
  ignore: Deno.build.os === "windows",
  fn: (t) =>
    withSandbox(async (box) => {
      const env = await furnish(box);
      for (const [name, shell] of Object.entries(SHELLS)) {
        const ignore = !(isWhole || name === "bash") || !await isInstalled(name);
        await t.step({ name, ignore, fn: () => completeOnTerminal(shell, box.folder, env) });
      }
      const ignore = !isWhole || !await isInstalled("fish");
      await t.step({ name: "fish", ignore, fn: () => completeInFish(box.folder, env) });
    }),
});
