import { accountApi } from './account/account.ts'
import { devicesApi } from './account/devices.ts'
import { familyApi } from './account/family.ts'
import { keyPackagesApi } from './account/keypackages.ts'
import { passkeysApi } from './account/passkeys.ts'
import { recoveryApi } from './account/recovery.ts'
import { sessionsApi } from './account/sessions.ts'
import { stepUpApi } from './account/stepup.ts'
import { adminApi } from './admin/admin.ts'
import { adminPackagesApi } from './admin/adminpackages.ts'
import { auditApi } from './admin/audit.ts'
import { archiveApi } from './chat/archive.ts'
import { callsApi } from './chat/calls.ts'
import { chatLocksApi } from './chat/chatlocks.ts'
import { codesApi } from './chat/contactcodes.ts'
import { contactsApi } from './chat/contacts.ts'
import { filesApi, uploaderApi } from './chat/files.ts'
import { messagesApi } from './chat/messages.ts'
import { notificationsApi } from './chat/notifications.ts'
import { pushApi } from './chat/push.ts'
import { reportsApi } from './chat/reports.ts'
import { roomsApi } from './chat/rooms.ts'
import { transfersApi } from './chat/transfers.ts'
import type { Endpoint } from './ground/endpoint.ts'
import { healthApi } from './ground/health.ts'
import { cardPaymentsApi } from './money/cardpayments.ts'
import { coinAddressesApi } from './money/coinaddresses.ts'
import { coinReviewsApi } from './money/coinreviews.ts'
import { coinsApi } from './money/coins.ts'
import { offersApi } from './money/offers.ts'
import { paymentsApi } from './money/payments.ts'
import { ledgerApi, receiptsApi } from './money/receipts.ts'
import { privacyApi } from './people/privacy.ts'

export const everyApi = {
  accountApi,
  adminApi,
  adminPackagesApi,
  archiveApi,
  auditApi,
  callsApi,
  chatLocksApi,
  codesApi,
  cardPaymentsApi,
  coinAddressesApi,
  coinReviewsApi,
  coinsApi,
  contactsApi,
  devicesApi,
  familyApi,
  filesApi,
  healthApi,
  keyPackagesApi,
  ledgerApi,
  messagesApi,
  notificationsApi,
  offersApi,
  passkeysApi,
  paymentsApi,
  privacyApi,
  pushApi,
  receiptsApi,
  recoveryApi,
  reportsApi,
  roomsApi,
  sessionsApi,
  uploaderApi,
  stepUpApi,
  transfersApi,
}

/** Every call of the API. The OpenAPI document and the permission tests are generated from this list. */
export const everyEndpoint: Endpoint[] = Object.values(everyApi).flatMap((api) => Object.values<Endpoint>(api))
