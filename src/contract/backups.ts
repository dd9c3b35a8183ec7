/** The regular backups of a platform. @module */
import * as z from "zod";
import { timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const count = z.int().nonnegative();

const provenBackup = z.object({
  name: z.string().describe("Name for `svc restore --at`").meta({
    example: "2026-12-01T03-00-00Z",
  }),
  at: timestamp.describe("When it was verified by restoring it"),
  files: count.describe("Number of files"),
  bytes: count.describe("Size of all files in bytes"),
  sentBytes: count.describe("Bytes sent; the rest was already stored"),
  records: count.describe("Records in the restored backup"),
  blobs: count.describe("Blobs in the restored backup"),
  databases: z.object({
    count: count.describe("Number of databases"),
    tables: count.describe("Tables in all databases"),
    rows: count.describe("Rows in all tables"),
  }).describe("Databases in the restored backup"),
});

const backupStatus = z.object({
  place: z.string().nullable().describe("Where backups are stored; null if there are none").meta({
    example: "s3://backups/svc?endpoint=https://s3.example.com",
  }),
  everySeconds: count.describe("Time between two backups").meta({ example: 86_400 }),
  keep: count.describe("Number of verified backups to keep").meta({ example: 30 }),
  encrypted: z.boolean().describe("Whether backups are encrypted to a public key"),
  runningSince: timestamp.nullable().describe(
    "Start of the current backup; null if none is running",
  ),
  nextAt: timestamp.nullable().describe(
    "When the next backup starts; null if there are no backups",
  ),
  last: provenBackup.nullable().describe("The last backup that was verified by restoring it"),
  failure: z.object({
    at: timestamp.describe("Last attempt"),
    since: timestamp.describe("First failed attempt since the last verified backup"),
    message: z.string().describe("Why it failed"),
    hint: z.string().nullable().describe("What to do"),
  }).nullable().describe("Why there is no newer backup; null if the last one succeeded"),
}).meta({ id: "BackupStatus" });
export type BackupStatus = z.infer<typeof backupStatus>;

export const getBackups = endpoint({
  method: "GET",
  path: "/v1/backups",
  summary: "Show the state of the platform's backups",
  tag: "System",
  access: "owner",
  response: backupStatus,
});
