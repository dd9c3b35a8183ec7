/** The tasks that one node runs for all nodes, each set up with a test store. @module */
import type { Holder } from "./_test_lease_thief.ts";
import { certificates } from "./_test_leading_certificates.ts";
import { databases } from "./_test_leading_databases.ts";
import { bot, events } from "./_test_leading_messages.ts";
import { folderSweep, retention, storageSweep } from "./_test_leading_deployments.ts";
import { health, projectKv } from "./_test_leading_projects.ts";

export const HOLDERS: Readonly<Record<string, Holder>> = {
  "event fan-out": events,
  "the chat bot": bot,
  "certificate orders": certificates,
  "server health checks": health,
  "deployment retention": retention,
  "sweeping blobs in a folder": folderSweep,
  "sweeping blobs in object storage": storageSweep,
  "database housekeeping": databases,
  "expiry of key-value entries": projectKv,
};
