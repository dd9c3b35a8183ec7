/** The `keys` commands in both output modes. */
import { testTranscript } from "../_test_transcript.ts";

testTranscript("keys", [
  {
    name: "an invalid permission",
    argv: ["keys", "create", "ci", "--permission", "deploy"],
    code: 2,
  },
  { name: "an invalid lifetime", argv: ["keys", "create", "ci", "--expires", "soon"], code: 2 },
  { name: "an invalid project", argv: ["keys", "create", "ci", "--project", "boats"], code: 1 },
  {
    name: "for CI",
    argv: ["keys", "create", "ci", "--permission", "deploy-previews", "--permission", "READ"],
  },
  { name: "all", argv: ["keys", "list"] },
  { name: "nothing to change", argv: ["keys", "update", "ci"], code: 2 },
  {
    name: "limits removed",
    argv: ["keys", "update", "ci", "--permission", "everything", "--all-projects"],
  },
  { name: "not asked", argv: ["keys", "revoke", "ci"], code: 1 },
  { name: "revoked", argv: ["keys", "revoke", "ci", "--force"] },
  { name: "no trusted publishers", argv: ["keys", "publishers", "list"] },
  {
    name: "a publisher without permissions",
    argv: ["keys", "publishers", "add", "--provider", "github", "--repository", "acme/shop"],
    code: 2,
  },
  {
    name: "a publisher without a repository",
    argv: [
      "keys",
      "publishers",
      "add",
      "--provider",
      "github",
      "--repository",
      "acme",
      "--permission",
      "read",
    ],
    code: 2,
  },
  {
    name: "a publisher",
    argv: [
      "keys",
      "publishers",
      "add",
      "--provider",
      "github",
      "--repository",
      "acme/shop",
      "--permission",
      "deploy-production",
      "--branch",
      "main",
      "--workflow",
      "deploy.yml",
    ],
  },
  { name: "all publishers", argv: ["keys", "publishers"] },
  {
    name: "a publisher that is not removed",
    argv: ["keys", "publishers", "remove", "acme/shop"],
    code: 1,
  },
  {
    name: "a publisher removed",
    argv: ["keys", "publishers", "remove", "acme/shop", "--force"],
  },
  { name: "a missing one", argv: ["keys", "revoke", "ci", "--force"], code: 1 },
]);
