/**
 * What one node does for all, each over a store of a test.
 *
 * @module
 */
import type { Holder } from "../lease_thief.ts";
import { certificates } from "./certificates.ts";
import { databases } from "./databases.ts";
import { bot, events } from "./messages.ts";
import { folderSweep, retention, storageSweep } from "./deployments.ts";
import { health, projectKv } from "./projects.ts";

export const HOLDERS: Readonly<Record<string, Holder>> = {
  "fan-out of events": events,
  "the chat bot": bot,
  "orders of certificates": certificates,
  "health of servers": health,
  "retention of deployments": retention,
  "the sweep of a folder of blobs": folderSweep,
  "the sweep of an object storage": storageSweep,
  "housekeeping of databases": databases,
  "expiry of projects' values": projectKv,
};
