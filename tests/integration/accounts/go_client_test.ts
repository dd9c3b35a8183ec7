/**
 * Tests the device flow with golang.org/x/oauth2. That client sends the first poll twice because it
 * does not know in which form the server expects the client ID. The test needs Go and its module
 * proxy, so it runs only if `GO_CLIENT` is set.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../../../scripts/_source_files.ts";
import { signUpWithWorkspace } from "../../helpers/browser.ts";
import { approve } from "../../helpers/device_flow.ts";
import { withPlatform } from "../../helpers/platform.ts";

/** Number of polls before the approval. None of them may be told to slow down. */
const POLLS = 5;

Deno.test({
  name: "golang.org/x/oauth2 is never told to slow down and gets the scope that it requests",
  ignore: Deno.env.get("GO_CLIENT") === undefined,
  fn: () =>
    withPlatform(async (platform) => {
      const { browser: ada, workspaceId } = await signUpWithWorkspace(platform, "ada");
      const client = new Deno.Command("go", {
        args: ["run", ".", platform.url],
        cwd: join(ROOT, "fixtures", "oauth", "golang"),
        stdout: "piped",
      }).spawn();
      const polls: string[] = [];
      let userCode = "";
      let text = "";
      for await (const piece of client.stdout.pipeThrough(new TextDecoderStream())) {
        text += piece;
        const lines = text.split("\n");
        text = lines.pop()!;
        for (const line of lines.map((line) => JSON.parse(line))) {
          if (line.userCode !== undefined) ({ userCode } = line);
          else if (line.poll === undefined) assert.deepEqual(line, { scope: "read", status: 200 });
          else if (polls.push(line.poll) === POLLS) await approve(ada, userCode, workspaceId);
        }
      }
      assert.equal((await client.status).code, 0);
      assert.deepEqual([...new Set(polls)], ["authorization_pending"], polls.join(", "));
      assert.ok(polls.length >= POLLS);
    }),
});
