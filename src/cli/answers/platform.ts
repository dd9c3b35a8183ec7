/** @module Results of the commands that run a platform, and of commands for the CLI itself. */
import * as z from "zod";
import { frontEdge, listEdges } from "../../contract/edges.ts";
import { listNodes } from "../../contract/nodes.ts";
import type { Answers } from "./answers.ts";
import { anyObject, count, text } from "./parts.ts";

const ready = z.object({
  url: text,
  token: text.optional().describe("First key of a new platform, shown only once"),
  pid: z.int().optional().describe("Process ID, with --background"),
});

const amount = z.object({ count, bytes: count.optional() });

const explanation = z.object({
  code: text,
  meaning: text,
  remedy: text,
  commands: z.array(text),
  guide: text.describe("A documentation file"),
});

const argument = z.object({
  name: text,
  required: z.boolean(),
  variadic: z.boolean(),
  meaning: text,
  default: z.unknown().describe("Null if there is none"),
});

const flag = z.object({
  group: text.nullable().describe("Heading in the help"),
  flag: text,
  takesValue: z.boolean(),
  repeatable: z.boolean(),
  meaning: text,
  choices: z.array(text).nullable().describe("Null if any value is allowed"),
  default: z.unknown().describe("Null if there is none"),
});

const command = z.object({
  command: text.describe("Full command, with svc"),
  section: text.nullable(),
  summary: text,
  description: text.nullable(),
  arguments: z.array(argument),
  flags: z.array(flag),
  examples: z.array(z.object({ line: text, meaning: text })),
  answers: text.nullable().describe("Members of the JSON output"),
});

export const PLATFORM_ANSWERS: Answers = {
  "serve": z.union([
    ready,
    z.object({ path: text, text, next: z.array(text), written: z.boolean() })
      .describe("with --install"),
    z.object({ config: text }).describe("with --print-config"),
  ]),
  "backup": z.union([
    z.object({ file: text, files: count, bytes: count }),
    z.object({
      place: text,
      name: text.describe("Name for svc restore --at"),
      files: count,
      bytes: count,
      sentBytes: count,
      records: count,
      blobs: count,
      databases: z.array(z.object({
        id: text.describe("ID of the storage"),
        tables: count.describe("Number of tables"),
        rows: count.describe("Rows in all tables"),
      })).describe("Databases in the restored backup"),
      removed: count.describe("Older backups that were removed"),
    }).describe("with a directory, s3:// or sftp:// as the target"),
    z.object({ path: text, recipient: text }).describe("with --keygen"),
  ]),
  "restore": z.union([
    z.object({
      dataDir: text,
      files: count,
      bytes: count,
      createdAt: text,
      name: text.optional().describe("Name of the backup, with --from"),
    }),
    z.object({
      backups: z.array(z.object({
        name: text,
        createdAt: text,
        program: text,
        encrypted: z.boolean(),
        files: count,
        bytes: count,
        check: z.object({
          checkedAt: text,
          records: count,
          blobs: count,
          databases: count,
          rows: count,
        }).nullable().describe("Null if it was never verified by restoring it"),
      })),
    }).describe("with --list"),
  ]),
  "rekey": z.object({ resealed: count }),
  "migrate-store": z.object({
    records: z.object({ count, copied: count, sha256: text }).optional(),
    files: z.object({ blobs: count, bytes: count, copied: count }).optional(),
    planned: z.object({ records: amount.optional(), files: amount.optional() }).optional(),
    resumed: z.boolean(),
    stays: z.array(z.object({ path: text, what: text })),
  }),
  "nodes": z.object({
    nodes: listNodes.response.shape.items,
    lost: listNodes.response.shape.lost,
  }),
  "edges list": z.object({ edges: listEdges.response.shape.items }),
  "edges add": z.object({
    edge: frontEdge,
    key: text.describe("Key of the edge, shown only once"),
  }),
  "edges drain": z.object({ edge: frontEdge }),
  "edges remove": z.object({ removed: z.boolean(), edge: text }),
  "edge": z.object({
    url: text,
    httpsUrl: text.optional(),
    edge: text.describe("Name of the edge"),
  }),
  "doctor": z.object({
    ok: z.boolean(),
    points: z.array(z.object({
      name: text,
      state: z.enum(["ok", "warn", "fail"]),
      found: text,
      advice: text.optional(),
    })),
  }),
  "explain": z.union([
    explanation,
    z.object({ codes: z.array(explanation.pick({ code: true, meaning: true })) }).describe(
      "without a code",
    ),
  ]),
  "schema": z.union([
    z.object({
      command: text,
      schema: anyObject.nullable().describe(
        "Schema of the object on stdout; null if there is none",
      ),
      lines: anyObject.nullable().describe(
        "Schema of each line of a stream; null if there is none",
      ),
    }),
    z.object({
      commands: z.array(z.object({
        command: text,
        members: text,
        prints: z.array(z.enum(["object", "lines"])),
      })),
    }).describe("with --list"),
  ]),
  "upgrade": z.object({
    version: text,
    previous: text,
    path: text,
    changed: z.boolean(),
    restart: z.array(z.union([
      z.object({ kind: z.literal("service"), path: text, command: text }),
      z.object({
        kind: z.literal("process"),
        pid: z.int(),
        command: text,
        leftOut: z.array(text).describe("Flags with secrets that the command leaves out"),
      }),
    ])).describe("What still runs the old version, and how to restart it"),
  }),
  "completion": z.object({ shell: text, script: text }),
  "help": z.object({
    help: text,
    flags: z.array(flag).optional().describe("The global flags; only in the help of svc itself"),
    commands: z.array(command),
  }),
  "version": z.object({ version: text }),
};
