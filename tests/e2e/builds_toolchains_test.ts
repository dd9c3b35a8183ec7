/**
 * A build from git must be able to run a toolchain in a home directory, but must not see anything
 * else there.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { withSandbox } from "../helpers/sandbox.ts";

const SETTINGS = `[build]
command = "mkdir out && uv --version > out/index.html && ls $TOOLS >> out/index.html"
output_dirs = ["out"]
`;

testNeeding("git", "sh")(
  "a build from git finds uv in a home directory",
  () =>
    withSandbox(async (box) => {
      const tools = join(box.folder, "home", ".local", "bin");
      await Deno.mkdir(tools, { recursive: true });
      const program = "#!/bin/sh\necho uv 0.13.9\n";
      await Deno.writeTextFile(join(tools, "uv"), program, { mode: 0o755 });
      await Deno.writeTextFile(join(tools, "secret"), "secret");
      box.env.PATH = `${tools}:${box.env.PATH}`;
      await box.start();
      await Deno.writeTextFile(join(box.site, "svc.toml"), SETTINGS.replace("$TOOLS", tools));
      await git(box.site, "init", "--quiet", "--initial-branch=main");
      await box.json(["projects", "create", "--name", "tools", "--link"]);
      await box.json(["link", "--git-remote"]);
      await git(box.site, "add", "--all");
      await git(box.site, "commit", "--quiet", "--message", "First");
      const { code, stderr } = await new Deno.Command("git", {
        args: ["-C", box.site, "push", "svc", "main"],
        env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
        clearEnv: true,
      }).output();
      const said = new TextDecoder().decode(stderr);
      assert.equal(code, 0, said);
      assert.match(said, /main is live at/);
      const { text } = await box.page("tools.localhost", "/");
      assert.equal(text, "uv 0.13.9\nuv\n");
    }),
);
