import assert from "node:assert/strict";
import { endpoints } from "../../contract/endpoints.ts";
import { pastTense } from "./past_tense.ts";

Deno.test("pastTense() returns the first sentence in the past tense", () => {
  const cases = {
    "Create an API key. The key is shown only once": "Created an API key",
    "Delete a variable from every scope, or from one":
      "Deleted a variable from every scope, or from one",
    "Set a variable in one environment or in all": "Set a variable in one environment or in all",
    "Stop a deployment that is not in production": "Stopped a deployment that is not in production",
    "Leave the workspace. The last owner cannot leave": "Left the workspace",
    "Stop a database: end all connections and refuse new ones": "Stopped a database",
    "Resend a delivery with the same `webhook-id`": "Resent a delivery with the same `webhook-id`",
    "Commit uploaded files to the project's repository on the platform, and build them":
      "Committed uploaded files to the project's repository on the platform, and built them",
    "Cancel a build and stop its deployment": "Cancelled a build and stopped its deployment",
  };
  for (const [summary, expected] of Object.entries(cases)) {
    assert.equal(pastTense(summary), expected);
  }
});

Deno.test("pastTense() handles the verb of every operation", () => {
  const summaries = Object.values(endpoints).flatMap((each) =>
    typeof each === "object" && "summary" in each ? [String(each.summary)] : []
  );
  assert.ok(summaries.length > 100);
  // Finds incorrect forms such as "Stoped" and "Carryed", in which the verb's last letter must be
  // doubled or changed.
  const wrong = summaries.filter((summary) => {
    const [verb = ""] = summary.split(" ");
    return /[^aeiou][aeiou][pgtn]$|[^aeiou]y$|.end$/i.test(verb) &&
      pastTense(summary).startsWith(`${verb}ed`);
  });
  assert.deepEqual(wrong, []);
});
