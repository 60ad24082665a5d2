/** `/api/v1/visa/devices`: telephones and tablets that get pushes of changes of policies. */

import { Effect, Schema } from "effect"
import { Devices, readDevice, readDeviceChange } from "../../../push/devices.ts"
import { PLATFORMS } from "../../../storage/tables.ts"
import { describeIssues } from "../../../validation/fields.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { endpoint, idOf, type Parameter } from "../../pipeline/endpoint.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"
import { accountOf, asQuestion } from "../accounts/account-answers.ts"
import { Texts } from "./visa-schemas.ts"

const shared = {
  surface: "visa",
  access: { kind: "key", scope: "webhooks", mode: "live" },
  needs: { devices: Devices },
} as const

const deviceId = idOf({ description: "The id of the device." })
// A text that is no id is unknown, and answered with 404 like any unknown id.
const id: Parameter<number> = { ...deviceId, takesAnything: true, read: text => deviceId.read(text) ?? 0 }

const noSuchDevice: Answer = answerError(404, "There is no device of this id.")

const follows = {
  passports: Schema.optionalKey(Texts),
  destinations: Schema.optionalKey(Texts),
  lang: Schema.optionalKey(Schema.String),
}

const registerDevice = endpoint("POST /api/v1/visa/devices", {
  ...shared,
  name: "registerDevice",
  takesBody: true,
  read: ({ body }, { dataset }) => asQuestion(readDevice(body, dataset)),
  answer: (request, context) =>
    Effect.map(context.devices.register(accountOf(context), request), device_id =>
      answerJson(200, { device_id }, NOT_STORED),
    ),
  summary: "Register a device for push notifications",
  description:
    "Changes that it follows are pushed in its language; an empty or missing list means everything. A token that is registered again changes its device.",
  payload: makeBody("DeviceRequest", "A device, and the changes that it follows.", {
    device_token: Schema.String,
    platform: Schema.Literals(PLATFORMS),
    ...follows,
  }),
  example: {
    device_token: "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
    platform: "apns",
    passports: ["FRA"],
    destinations: ["JPN"],
    lang: "fr",
  },
  success: makeBody("DeviceRegistered", "The id of the device.", { device_id: Schema.Int }),
})

const updateDevice = endpoint("PATCH /api/v1/visa/devices/:id", {
  ...shared,
  name: "updateDevice",
  parameters: { id },
  takesBody: true,
  read: ({ query: { id }, body }, { dataset }) => {
    const read = asQuestion(readDeviceChange(body, dataset, null))
    return read.ok ? { ok: true, question: { id, body } } : read
  },
  // Which tokens are valid depends on the device's platform, so the body is read again when the device was looked up.
  answer: ({ id, body }, context) =>
    Effect.gen(function* () {
      const platform = yield* context.devices.findPlatform(accountOf(context), id)
      if (platform === null) return noSuchDevice
      const read = readDeviceChange(body, context.dataset, platform)
      if (!read.ok) return answerError(400, describeIssues(read.issues))
      const isThere = yield* context.devices.update(accountOf(context), id, read.value)
      return isThere ? answerJson(200, { updated: true, device_id: id }, NOT_STORED) : noSuchDevice
    }),
  summary: "Change a device",
  description: "At least one field; absent ones stay unchanged.",
  payload: makeBody("DeviceChange", "What changes.", {
    device_token: Schema.optionalKey(Schema.String),
    ...follows,
  }),
  example: { passports: ["FRA", "IND"], lang: "en" },
  success: makeBody("DeviceUpdated", "The device was changed.", { updated: Schema.Boolean, device_id: Schema.Int }),
  errors: [404],
})

const deleteDevice = endpoint("DELETE /api/v1/visa/devices/:id", {
  ...shared,
  name: "deleteDevice",
  parameters: { id },
  answer: ({ id }, context) =>
    Effect.map(context.devices.remove(accountOf(context), id), isRemoved =>
      isRemoved ? answerJson(200, { deleted: true, device_id: id }, NOT_STORED) : noSuchDevice,
    ),
  summary: "End a device",
  success: makeBody("DeviceDeleted", "The device was deleted.", { deleted: Schema.Boolean, device_id: Schema.Int }),
  errors: [404],
})

export const deviceEndpoints = [registerDevice, updateDevice, deleteDevice] as const
