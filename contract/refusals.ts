import { REFUSAL_TEXTS } from './refusaltexts.ts'

/** Every refusal of the server: its HTTP status and its English text. */
export const REFUSALS = {
  invalid_input: { status: 400, text: 'The request is not valid' },
  malformed_body: { status: 400, text: 'The body is not valid JSON' },
  malformed_url: { status: 400, text: 'The address is not valid' },
  malformed_frame: { status: 400, text: 'The frame is not valid' },
  not_signed_in: { status: 401, text: 'Not signed in' },
  invalid_credentials: { status: 401, text: 'Invalid username or password' },
  step_up_required: { status: 401, text: 'Confirm that it is you' },
  // `details` has the challenge and the account's passkeys of this address (`factorDetails`).
  biometric_required: { status: 401, text: 'Biometric Authentication Required' },
  passkey_refused: { status: 401, text: 'This passkey does not sign in here' },
  passkey_copied: {
    status: 401,
    text: 'This passkey was refused: it looks like a copy, because another one has signed in since. Use another passkey or the recovery kit',
  },
  wrong_kit: { status: 401, text: 'This recovery kit does not open this account' },
  forbidden_origin: { status: 403, text: 'This origin may not use the server. Set PUBLIC_URL to the address in the browser' },
  admin_required: { status: 403, text: 'You need administrator privileges' },
  master_required: { status: 403, text: 'Master plan required' },
  last_administrator: { status: 409, text: 'The last administrator cannot be demoted or blocked' },
  cannot_block_self: { status: 409, text: 'You cannot block yourself' },
  family_full: { status: 409, text: 'Maximum family members reached (5/5)' },
  already_in_family: { status: 409, text: 'You are in a family circle already, or have one of your own' },
  own_invitation: { status: 409, text: 'This is your own invitation. Send its link to somebody else' },
  invitation_over: { status: 410, text: 'This invitation cannot be accepted any more. Ask for a new one' },
  device_required: { status: 403, text: 'This browser has not shown yet that it belongs to the account. Reload the page' },
  order_required: {
    status: 403,
    text: 'This needs the account’s keys: open them by the password, the recovery kit or a passkey',
  },
  chat_locked: { status: 403, text: 'Enter the password of this chat first' },
  chat_password_required: { status: 403, text: 'Enter the chat password once more' },
  subscription_required: { status: 403, text: REFUSAL_TEXTS.subscription_required },
  // `messageLimitText` replaces this text and names the plan's limit.
  message_limit_reached: { status: 403, text: 'Message limit reached' },
  account_deleted: { status: 403, text: REFUSAL_TEXTS.account_deleted },
  not_found: { status: 404, text: 'Not found' },
  file_not_found: { status: 400, text: REFUSAL_TEXTS.file_not_found },
  user_not_found: { status: 404, text: 'User not found' },
  method_not_allowed: { status: 405, text: 'Method not allowed' },
  username_taken: { status: 409, text: 'Username is not available' },
  cannot_add_self: { status: 400, text: 'You cannot add yourself' },
  invalid_onion_address: { status: 400, text: REFUSAL_TEXTS.invalid_onion_address },
  unknown_code: { status: 404, text: 'This is not a valid contact code' },
  code_replaced: { status: 410, text: 'This QR code was replaced by a newer one. Scan that one' },
  code_expired: { status: 410, text: 'This QR code has expired. Ask for a new one' },
  code_used_up: { status: 409, text: 'This QR code has been used up. Ask for a new one' },
  already_contact: { status: 409, text: 'Already in your contacts' },
  too_many_contacts: { status: 409, text: 'The contact list is full' },
  unknown_envelope: { status: 400, text: 'This server does not know sealed messages of this version' },
  stale_epoch: { status: 409, text: 'The chat has moved on' },
  stale_manifest: { status: 409, text: 'The devices of this chat changed' },
  stale_version: { status: 409, text: 'Another device changed this first' },
  history_key_required: {
    status: 409,
    text: 'This page is older than the server: this change needs a new history key. Reload the page and try again',
  },
  has_chat_password: { status: 409, text: 'This chat has a password. Enter it to change it' },
  has_keys: { status: 409, text: 'This account has its keys already' },
  too_many_passkeys: { status: 409, text: 'Too many passkeys. Remove one first' },
  way_back_required: {
    status: 409,
    text: 'Biometric sign-in needs a passkey, and beside it a recovery kit or a second passkey. Make one first, or switch it off',
  },
  too_many_devices: { status: 409, text: 'Too many devices. Remove one first' },
  unknown_device: { status: 409, text: 'This device is not part of the account' },
  invalid_signature: { status: 400, text: 'The signature does not match' },
  forbidden_address: {
    status: 400,
    text: 'The server sends nothing to this address: it must be https, on port 443 and on the public internet',
  },
  push_off: { status: 409, text: 'This server sends nothing to closed browsers' },
  too_many_push_subscriptions: {
    status: 409,
    text: 'Too many browsers are told while they are closed. Switch it off in one first',
  },
  push_subscription_taken: { status: 409, text: 'This subscription is of another account. Subscribe anew' },
  list_moved_on: { status: 410, text: 'The list has changed too much. Read it anew' },
  upload_expired: { status: 403, text: 'Request has expired' },
  already_uploaded: { status: 409, text: 'This address has taken its file already. Ask for another one' },
  empty_upload: { status: 400, text: 'The file is empty, or Content-Length is missing' },
  unknown_upload: { status: 400, text: 'This is not a file that you have uploaded' },
  not_a_picture: { status: 400, text: 'This is not a JPG, PNG or GIF picture, or it has more than 25 megapixels' },
  storage_limit_reached: { status: 403, text: 'Storage limit reached' },
  file_too_large: { status: 413, text: 'Please select a file smaller than 10MB' },
  not_padded: { status: 400, text: 'The size of a sealed file must be padded' },
  incomplete_upload: { status: 400, text: 'A part of the file is missing, has changed, or is too small' },
  file_in_use: { status: 409, text: 'A message carries this file already' },
  currency_unavailable: { status: 409, text: 'This server does not take this currency right now' },
  too_many_coin_payments: {
    status: 409,
    text: 'Too many payments are open. Pay one of them, or wait until it has expired',
  },
  wrong_address: { status: 400, text: 'This is not the address of this payment' },
  package_not_sold: { status: 409, text: 'This plan is not sold' },
  card_off: { status: 409, text: 'Card payment is not set up on this server' },
  card_refused: { status: 402, text: 'The card was declined. Try another card' },
  card_unavailable: { status: 503, text: 'The card provider does not answer. Nothing was paid. Try again' },
  invalid_webhook: { status: 400, text: 'The signature of this event is not valid' },
  plan_not_sold: { status: 409, text: 'This plan is not sold here. Contact us' },
  already_subscribed: { status: 409, text: 'You have this plan already' },
  no_subscription: { status: 409, text: 'No card subscription runs on this account' },
  change_at_end: {
    status: 409,
    text: 'Downgrade to Free first. The other plan can be bought when the paid time is over',
  },
  not_refundable: { status: 409, text: 'The 30 days of the guarantee are over, or it was used before' },
  too_slow: { status: 408, text: 'The request took too long to arrive' },
  range_not_satisfiable: { status: 416, text: 'The file has no such bytes' },
  too_large: { status: 413, text: 'The request is too large' },
  unsupported_media_type: { status: 415, text: 'Send JSON' },
  too_many_requests: { status: 429, text: 'Too many attempts' },
  internal: { status: 500, text: 'Something went wrong on the server' },
  prices_unavailable: { status: 503, text: 'The prices of coins are not known right now. Try again in a few minutes' },
  unavailable: { status: 503, text: 'The server is busy or stopping. Try again' },
} as const

export type RefusalCode = keyof typeof REFUSALS

/** The body of every response that is not OK. `retryAfterSeconds` is set with 429 and 503; `details` depends on the code. */
export interface RefusalBody {
  error: string
  code: RefusalCode
  incidentId?: string
  retryAfterSeconds?: number
  details?: unknown
}
