import { accountApi } from './account.ts'
import { adminApi } from './admin.ts'
import { adminPackagesApi } from './adminpackages.ts'
import { archiveApi } from './archive.ts'
import { auditApi } from './audit.ts'
import { chatLocksApi } from './chatlocks.ts'
import { codesApi } from './codes.ts'
import { coinReviewsApi } from './coinreviews.ts'
import { coinsApi } from './coins.ts'
import { contactsApi } from './contacts.ts'
import { devicesApi } from './devices.ts'
import type { Endpoint } from './endpoint.ts'
import { familyApi } from './family.ts'
import { filesApi, uploaderApi } from './files.ts'
import { healthApi } from './health.ts'
import { messagesApi } from './messages.ts'
import { notificationsApi } from './notifications.ts'
import { passkeysApi } from './passkeys.ts'
import { paymentsApi } from './payments.ts'
import { privacyApi } from './privacy.ts'
import { pushApi } from './push.ts'
import { reportsApi } from './reports.ts'
import { roomsApi } from './rooms.ts'
import { sessionsApi } from './sessions.ts'
import { stepUpApi } from './stepup.ts'

/** Every call of the API. The OpenAPI document and the permission tests are generated from this list. */
export const everyEndpoint: Endpoint[] = [
  accountApi,
  adminApi,
  adminPackagesApi,
  archiveApi,
  auditApi,
  chatLocksApi,
  codesApi,
  coinReviewsApi,
  coinsApi,
  contactsApi,
  devicesApi,
  familyApi,
  filesApi,
  healthApi,
  messagesApi,
  notificationsApi,
  passkeysApi,
  paymentsApi,
  privacyApi,
  pushApi,
  reportsApi,
  roomsApi,
  sessionsApi,
  uploaderApi,
  stepUpApi,
].flatMap((api) => Object.values<Endpoint>(api))
