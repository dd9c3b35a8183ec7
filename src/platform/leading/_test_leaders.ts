/** Tasks that one node does for all, each with a test store. @module */
import type { Holder } from "./_test_lease_thief.ts";
import { certificates } from "./_test_leading_certificates.ts";
import { databases } from "./_test_leading_databases.ts";
import { bot, events } from "./_test_leading_messages.ts";
import { folderSweep, retention, storageSweep } from "./_test_leading_deployments.ts";
import { health, projectKv } from "./_test_leading_projects.ts";

export const HOLDERS: Readonly<Record<string, Holder>> = {
  "fan-out of events": events,
  "the chat bot": bot,
  "orders of certificates": certificates,
  "health of servers": health,
  "retention of deployments": retention,
  "the sweep of a folder of blobs": folderSweep,
  "the sweep of object storage": storageSweep,
  "housekeeping of databases": databases,
  "expiry of projects' values": projectKv,
};
