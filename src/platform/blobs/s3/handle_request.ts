/**
 * The S3 endpoint. Each environment of a project is a bucket with the environment's name.
 *
 * @module
 */
import { toFailure } from "../../core/http/mod.ts";
import type { BlobPlace } from "../object_record.ts";
import { BlobStoreError } from "../store_error.ts";
import { deleteObjects, listBuckets, listObjects, listUploads, xml } from "./bucket_requests.ts";
import { refuseVersion } from "./object_fields.ts";
import { copyObject, putObject, readObject } from "./object_requests.ts";
import { type SignedCall, type SignerOptions, verifyCall } from "./signed_call.ts";
import type { S3Stores } from "./stores.ts";
import {
  abortUpload,
  completeUpload,
  copyPart,
  listParts,
  startUpload,
  uploadPart,
} from "./upload_requests.ts";
import { errorXml } from "./xml.ts";

interface S3HandlerOptions extends SignerOptions, S3Stores {
  requestId(): string;
  /** Called with internal errors, while the client learns only that an error occurred. */
  onTrouble(message: string): void;
}

/** Unsupported S3 features that a query parameter selects. */
const MISSING = [
  ...["accelerate", "acl", "analytics", "attributes", "cors", "encryption", "inventory"],
  ...["legal-hold", "lifecycle", "logging", "metrics", "notification", "object-lock"],
  ...["ownershipControls", "policy", "policyStatus", "publicAccessBlock", "replication"],
  ...["requestPayment", "restore", "retention", "select", "tagging", "torrent", "versions"],
  "website",
];

/**
 * Pages of any site may send signed requests, because cookies are ignored. The content must not run
 * scripts, because it is served from the dashboard's origin.
 */
const COMMON = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*, etag, x-amz-request-id",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
} as const;

const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, PUT, POST, DELETE",
  "access-control-max-age": "3600",
} as const;

const empty = (status = 200) => new Response(null, { status });

async function answerBucket(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { method, query } = call;
  if (method === "HEAD") return empty();
  if (method === "PUT") {
    // Parameters for clients and signatures begin with `x-`. All other parameters select what to
    // change.
    const other = [...query.keys()].find((name) => !/^x-/i.test(name));
    if (other !== undefined) throw notImplemented(other);
    return empty();
  }
  if (method === "POST" && query.has("delete")) return await deleteObjects(stores, place, call);
  if (method !== "GET") throw notAllowed();
  if (query.has("location")) return xml("LocationConstraint", {});
  if (query.has("versioning")) return xml("VersioningConfiguration", {});
  if (query.has("uploads")) return await listUploads(stores, place, call);
  return await listObjects(stores, place, call);
}

const notImplemented = (name: string) =>
  new BlobStoreError("NotImplemented", `"${name}" is not supported`);

const notAllowed = () =>
  new BlobStoreError("MethodNotAllowed", "The method is not allowed for this resource");

async function answerObject(
  stores: S3Stores,
  place: BlobPlace,
  call: SignedCall,
): Promise<Response> {
  const { method, query, objectKey, headers } = call;
  const isUpload = query.has("uploadId");
  const isCopy = headers.has("x-amz-copy-source");
  refuseVersion(query.get("versionId"));
  switch (method) {
    case "GET":
    case "HEAD":
      if (isUpload) return await listParts(stores, place, call);
      return await readObject(stores, await stores.objects.get(place, objectKey), call);
    case "PUT":
      if (isUpload) return await (isCopy ? copyPart : uploadPart)(stores, place, call);
      return await (isCopy ? copyObject : putObject)(stores, place, call);
    case "POST":
      if (query.has("uploads")) return await startUpload(stores, place, call);
      if (isUpload) return await completeUpload(stores, place, call);
      throw notAllowed();
    case "DELETE":
      if (isUpload) return await abortUpload(stores, place, call);
      await stores.objects.delete(place, objectKey);
      return empty(204);
    default:
      throw notAllowed();
  }
}

async function answer(options: S3HandlerOptions, request: Request): Promise<Response> {
  const call = await verifyCall(request, options);
  const { key, bucket, objectKey, method, query } = call;
  const { workspaceId, projectId, environment } = key;
  const place = { workspaceId, projectId, environment };
  const missing = MISSING.find((name) => query.has(name));
  if (missing !== undefined) throw notImplemented(missing);
  if (bucket === "") {
    if (method === "GET") return listBuckets(place);
    throw notAllowed();
  }
  if (bucket !== environment) {
    throw new BlobStoreError(
      "NoSuchBucket",
      `The bucket of this access key is "${environment}", the name of its environment`,
    );
  }
  if (key.isReadOnly && method !== "GET" && method !== "HEAD") {
    throw new BlobStoreError("AccessDenied", "The access key can only read");
  }
  return await (objectKey === "" ? answerBucket : answerObject)(options, place, call);
}

/** Converts a thrown error to an S3 error. */
function asRefusal(
  error: unknown,
  request: Request,
  options: Pick<S3HandlerOptions, "onTrouble">,
): BlobStoreError {
  if (error instanceof BlobStoreError) return error;
  if (error instanceof Deno.errors.BadResource || request.signal.aborted) {
    return new BlobStoreError("IncompleteBody", "The upload was interrupted");
  }
  const { code, message } = toFailure(error);
  if (code === "storage_full") return new BlobStoreError("QuotaExceeded", message);
  if (code === "unavailable" || code === "conflict") return new BlobStoreError("SlowDown", message);
  options.onTrouble(`A request to a blob store failed: ${error}`);
  return new BlobStoreError("InternalError", "The blob store failed. Try again");
}

/** Creates the handler for requests below the endpoint's path. The handler never rejects. */
export function createS3Handler(
  options: S3HandlerOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const id = options.requestId();
    const response = await respond(options, request, id);
    for (const [name, value] of Object.entries(COMMON)) response.headers.set(name, value);
    response.headers.set("x-amz-request-id", id);
    return response;
  };
}

async function respond(
  options: S3HandlerOptions,
  request: Request,
  id: string,
): Promise<Response> {
  if (request.method === "OPTIONS") {
    const asked = request.headers.get("access-control-request-headers");
    const headers = { ...PREFLIGHT, "access-control-allow-headers": asked ?? "*" };
    return new Response(null, { status: 204, headers });
  }
  try {
    return await answer(options, request);
  } catch (error) {
    const { code, status, message, contentRange } = asRefusal(error, request, options);
    const body = errorXml({ Code: code, Message: message, RequestId: id });
    return new Response(request.method === "HEAD" ? null : body, {
      status,
      headers: {
        "content-type": "application/xml",
        ...(contentRange === undefined ? {} : { "content-range": contentRange }),
      },
    });
  }
}
