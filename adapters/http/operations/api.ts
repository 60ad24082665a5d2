/** Endpoints for whoever operates the service. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const healthz = HttpApiEndpoint.get("healthz", "/healthz", {
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({ description: "The process is up." }),
}).annotateMerge(OpenApi.annotations({ summary: "Is the process up?" }))

const readyz = HttpApiEndpoint.get("readyz", "/readyz", {
  success: Schema.Struct({ status: Schema.Literal("ready"), dataset_version: Schema.String }).annotate({
    description: "The dataset is loaded and the database answers.",
  }),
  error: Schema.Struct({ error: Schema.String, status: Schema.Literal("unavailable") })
    .annotate({ identifier: "NotReady", description: "The service is about to stop, or its database does not answer." })
    .pipe(HttpApiSchema.status(503)),
}).annotateMerge(OpenApi.annotations({ summary: "Can the process answer?" }))

const metrics = HttpApiEndpoint.get("metrics", "/metrics", {
  success: Schema.String.annotate({ description: "Prometheus text format." }).pipe(
    HttpApiSchema.asText({ contentType: "text/plain" }),
  ),
}).annotateMerge(OpenApi.annotations({ summary: "Counts and durations of requests" }))

/** Open to all: put them behind the proxy where that is not wanted. */
export const operationsGroup = HttpApiGroup.make("operations")
  .add(healthz)
  .add(readyz)
  .add(metrics)
  .annotateMerge(OpenApi.annotations({ title: "Operations" }))
