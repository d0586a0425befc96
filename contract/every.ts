import { accountApi } from './account.ts'
import { codesApi } from './codes.ts'
import { contactsApi } from './contacts.ts'
import { devicesApi } from './devices.ts'
import type { Endpoint } from './endpoint.ts'
import { healthApi } from './health.ts'
import { messagesApi } from './messages.ts'
import { notificationsApi } from './notifications.ts'
import { roomsApi } from './rooms.ts'
import { sessionsApi } from './sessions.ts'

/** Every call of the API. The OpenAPI document and the permission tests are generated from this list. */
export const everyEndpoint: Endpoint[] = [
  accountApi,
  codesApi,
  contactsApi,
  devicesApi,
  healthApi,
  messagesApi,
  notificationsApi,
  roomsApi,
  sessionsApi,
].flatMap((api) => Object.values<Endpoint>(api))
