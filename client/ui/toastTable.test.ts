import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Each toast of the app by its title, or by the expression that makes it, under what it is for. */
const TABLE: Record<string, string[]> = {
  'the specification names it': [
    ...[
      'Biometric Setup Failed',
      'Call Started Successfully',
      'Camera Error',
      'Chat Cleared',
      'Chat password removed',
      'Chat password set',
    ],
    ...['Contact added', 'Copied!', 'Error', 'Failed to change password', 'Failed to update profile'],
    ...['Failed to update biometric settings', 'File Too Large', 'File Uploaded', 'Invalid QR Code', 'Message Limit Reached'],
    ...['Payment Confirmed', 'Payment Creation Failed', 'Price Update Failed', 'QR Code Generated', 'Subscription Required'],
    ...['Token Required', 'Upload Failed', 'Registration failed', 'Sign in failed', 'Unsupported message type'],
    ...['failedTitle(call.callType)', 'failedTitle(callType)', 'notThere(held)', 'notThere(line)', 'notThere(shown)'],
    ...['TOASTS.connected', 'TOASTS.incoming', 'TOASTS.interrupted', 'TOASTS.notConnected', 'TOASTS.notOffered'],
    ...['TOASTS.offerSent', 'TOASTS.received', 'TOASTS.sent', 'TOASTS.tooLarge'],
    ...['Package created', 'Package updated', 'Package deleted', 'Package status updated', 'Subscription updated'],
    ...['Failed to create package', 'Failed to update package', 'Failed to delete package', 'Failed to update package status'],
    ...['Failed to update subscription', 'Invitation Failed', 'Invitation Sent or Created', 'Member Removed', 'Remove Failed'],
    ...['Admin privileges granted', 'Admin privileges removed', 'Failed to deactivate user', 'Failed to grant admin privileges'],
    ...['Failed to reactivate user', 'Failed to remove admin privileges', 'Failed to reset usage', 'Usage reset'],
    ...['User deactivated', 'User reactivated'],
  ],
  'a press failed: what it was for stands as before, and no field is at fault': [
    ...[
      'A chat is not ready',
      'Not cancelled',
      'Not locked',
      'Logout failed',
      'No photo was taken',
      'No picture was saved',
      'Not marked as read',
      'chat/messages/deleteForMe.ts title',
      'The chat was not deleted',
      'Nothing was changed',
    ],
    ...['NOT_SET', 'The chat is still muted', 'The chat was not muted', 'The chat was not restarted', 'The export stopped'],
    ...[
      'The files could not be cleared',
      'The number was not compared',
      'The others were not ended',
      'The password was not changed',
    ],
    ...[
      'The quiet hours were not saved',
      'The report was not sent',
      'The request did not come back',
      'The session was not ended',
    ],
    ...['The sign-in stays open', 'The time was not changed', 'This browser was not added', 'Your answer was not kept'],
    ...['Your decision was not kept', 'That was not changed', 'The invitation was not cancelled', 'The mail was not sent'],
    ...['The business was not saved', 'The business was not removed'],
    ...[
      'You have not left',
      'name is not blocked',
      'name is still blocked',
      'name is still on your list',
      'STEADY_WORDS.failed',
      'FAILED',
    ],
    ...[
      'Sending is stopped',
      'Too Many Files',
      'Empty File',
      'TOASTS.empty',
      'Microphone Error',
      'Not taken here',
      'Not found',
      'Not opened',
      'Copy it from here',
    ],
    ...['admin/AuditTab.tsx title', 'Payment Error', 'Upgrade Failed', 'chat/transferline/useTransferActs.tsx title'],
    ...[
      'chat/messages/useUnsentActs.tsx title',
      'NOTES could not be opened',
      'PINS_MAX chats are pinned',
      'The chat was not marked',
      'The star was not changed',
      'At most STARS_MAX stars',
      'Too Many Messages',
    ],
  ],
  'it came by itself, wherever the person was': [
    ...[
      'Answered elsewhere',
      'Messages could not be loaded',
      'Your devices could not be loaded',
      'Voice draft deleted',
      'Not sent',
    ],
    ...['The server does not know of it yet', 'This browser cannot be told while Conclave is closed'],
    ...[
      'This browser is no longer told while Conclave is closed',
      'unpluggedWords',
      'buildcheck words',
      'Something does not fit',
    ],
  ],
  'nothing on the screen shows it': [
    ...[
      'Browser removed',
      'Business saved',
      'Cleared',
      'Paid back',
      'Password changed',
      'Plan cancelled',
      'Profile saved',
      'Report sent',
      'Your address book begins anew',
    ],
    ...['The passkey is added', 'The passkey is removed', 'The server does not know yet', 'plan/family/InvitationPage.tsx title'],
    ...['Forwarded', 'Chat deleted'],
    ...['Plan given', 'Refund noted', 'Plan ended', 'Dismissed', 'Invitation cancelled'],
  ],
  'it can be taken back': ['Contact blocked', 'Request ignored', 'name is archived', 'Messages deleted'],
}

/** Expressions in place of a title, and what they stand for. Those of a wrapper are read where it is called. */
const SAME: Record<string, string | null> = {
  "isOne ? 'Message deleted' : `${messages.length} messages deleted`": 'Messages deleted',
  "mail === 'sent' ? 'Invitation Sent' : 'Invitation Created'": 'Invitation Sent or Created',
  UNSUPPORTED: 'Unsupported message type',
  "title ?? 'Something does not fit'": 'Something does not fit',
  "{ tone: 'bad', ...words, mustBeSeen: true }": 'buildcheck words',
  "{ tone: 'plain', ...unpluggedWords(kind, next ? next.label : null) }": 'unpluggedWords',
  "{ tone: 'good', ...said }": null,
  "{ tone: 'good', ...addedWords('The contact has been added successfully.', contact) }": 'Contact added',
  "{ tone: 'good', ...addedWords(`${displayName} has been added to your contacts.`, contact) }": 'Contact added',
  failed: null,
}

const CLIENT = new URL('..', import.meta.url)

/** The titles of all toasts in the source. */
function titles(): string[] {
  const files = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /[.]tsx?$/.test(file) && !/[.]test[.]|^testing\//.test(file))
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, CLIENT), 'utf8')
    const found = [...text.matchAll(/(?<!function )showToast\(/g)].map(({ index }) => titleIn(within(text, index)))
    if (/\bact\(|Act\b/.test(text))
      found.push(...[...text.matchAll(/\bfailed: ('[^']*'|`[^`]*`)/g)].map(([, title = '']) => title))
    found.push(...[...text.matchAll(/\bdone:[^;]{0,40}?\{\s*title: ([^\n]+?),(?: text|\n)/g)].map(([, title = '']) => title))
    if (text.includes("Act['done']"))
      found.push(...[...text.matchAll(/^ +(?:\{ title: )?('[^']*')(?:, text|,$)/gm)].map(([, title = '']) => title))
    found.push(...[...text.matchAll(/\buseAct\(('[^']*')/g)].map(([, title = '']) => title))
    found.push(...[...text.matchAll(/\btell\(('[^']*')/g)].map(([, title = '']) => title))
    return found.flatMap((title) => shortened(file, title))
  })
}

/** What stands between the bracket that opens at or behind `index` and its end. */
function within(text: string, index: number): string {
  const start = text.indexOf('(', index) + 1
  let end = start
  for (let depth = 1; depth > 0; end += 1) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0
  return text.slice(start, end - 1).trim()
}

function titleIn(call: string): string {
  const [, title] = /^\{[\s\S]*?\btitle: ([\s\S]+?)(?:, text\b|,\n)/.exec(call) ?? []
  return title ?? (/\btitle,/.test(call) ? 'title' : call)
}

function shortened(file: string, title: string): string[] {
  const same = SAME[title]
  if (same !== undefined) return same === null ? [] : [same]
  if (title === 'title') return file.endsWith('sendOutcome.ts') ? [] : [`${file} title`]
  const [, toast] = /^(TOASTS[.]\w+)/.exec(title) ?? []
  return [toast ?? title.replace(/^['`]|['`]$/g, '').replace(/\$\{(\w+)\}/g, '$1')]
}

test('Each toast is named by the specification or has its reason, and the table has no other', () => {
  const listed = Object.values(TABLE).flat()
  expect(listed.filter((title, at) => listed.indexOf(title) !== at)).toEqual([])
  const found = [...new Set(titles())]
  expect(found.filter((title) => !listed.includes(title)).sort()).toEqual([])
  expect(listed.filter((title) => !found.includes(title)).sort()).toEqual([])
})
