import assert from "node:assert/strict";
import { join } from "node:path";
import { BASH_SCRIPT } from "./bash_script.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

/**
 * Completes a line in a plain bash, with an `svc` that records its arguments and prints `offers`.
 */
async function complete(
  line: string,
  offers: string,
): Promise<{ words: string[]; reply: string[] }> {
  return await inTestFolder(async (folder) => {
    const script = join(folder, "svc.bash");
    await Deno.writeTextFile(script, BASH_SCRIPT);
    const svc = `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/words'\nprintf '%b' '${offers}'\n`;
    await Deno.writeTextFile(join(folder, "svc"), svc, { mode: 0o755 });
    // At a prompt, bash splits words at = and :.
    const typed = line.replace(/([=:])/g, " $1 ").trimStart().split(/ +/);
    const quoted = typed.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const program = [
      "set -u",
      `. '${script}'`,
      `. '${script}'`,
      `COMP_LINE='${line.replaceAll("'", `'\\''`)}' COMP_POINT=\${#COMP_LINE}`,
      `COMP_WORDS=(${quoted.join(" ")}) COMP_CWORD=${typed.length - 1}`,
      "__svc_complete",
      `[ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join("\n");
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["--norc", "--noprofile", "-c", program],
      cwd: folder,
      clearEnv: true,
      env: { PATH: `${folder}:/usr/bin:/bin` },
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const words = (await Deno.readTextFile(join(folder, "words"))).trimEnd().split("\n");
    const reply = new TextDecoder().decode(stdout).split("\n").filter((each) => each !== "");
    assert.ok(!await Deno.stat(join(folder, "owned")).then(() => true, () => false));
    return { words: words.slice(2), reply };
  });
}

const bash = { ignore: Deno.build.os === "windows" };

Deno.test({
  ...bash,
  name: "the bash script completes without bash-completion, and can be sourced twice",
  fn: async () => {
    const { words, reply } = await complete("svc dep", "deploy\\tbuild\\ndeployments\\n:4\\n");
    assert.deepEqual(words, ["dep"]);
    assert.deepEqual(reply, ["deploy", "deployments"]);
  },
});

Deno.test({
  ...bash,
  name: "the bash script joins words that bash splits at = and :, and completes the last part",
  fn: async () => {
    const { words, reply } = await complete(
      "svc deploy --framework=as",
      "astro\\nnuxt\\n:4\\n",
    );
    assert.deepEqual(words, ["deploy", "--framework=as"]);
    assert.deepEqual(reply, ["astro"]);
    const host = await complete("svc rules explain GET http://a.t", "http://a.test\\n:4\\n");
    assert.deepEqual(host.words, ["rules", "explain", "GET", "http://a.t"]);
    assert.deepEqual(host.reply, ["//a.test"]);
  },
});

Deno.test({
  ...bash,
  name: "the bash script executes nothing that was typed",
  fn: async () => {
    const typed = [
      "$(touch",
      "owned)",
      "`touch",
      "owned`",
      "x;touch",
      "owned",
      '"$(touch',
      "owned)",
    ];
    const { words } = await complete(`svc deploy ${typed.join(" ")} `, ":4\\n");
    assert.deepEqual(words, ["deploy", ...typed]);
  },
});
