import { expect, test } from 'vitest'
import type { Invitation } from '../../../contract/account/family.ts'
import { dateLine, deliveryLine, nameOf } from './familyWords.ts'

const invitation: Invitation = {
  ...{
    id: crypto.randomUUID(),
    masterUserId: crypto.randomUUID(),
    inviteeEmail: 'bob@example.org',
    inviteeUsername: 'bob',
    invitationToken: null,
  },
  ...{ status: 'pending', createdAt: '2026-11-01T10:00:00.000Z', expiresAt: '2026-11-08T10:00:00.000Z' },
  ...{ acceptedAt: null, mail: null, mailedAt: null },
}
const mailed = { ...invitation, mail: 'sent', mailedAt: '2026-11-02T10:00:00.000Z' } as const
const failed = { ...invitation, mail: 'failed' } as const

test('an invitation is said to be sent where it was mailed, and nowhere else', () => {
  expect(dateLine(mailed)).toMatch(/^Sent .*Nov 2/)
  expect(deliveryLine(mailed)).toContain('It was mailed to bob@example.org')
  for (const each of [invitation, failed]) expect(`${dateLine(each)} ${deliveryLine(each)}`).not.toMatch(/\bSent\b|was mailed/)
  expect(dateLine(invitation)).toMatch(/^Created .*, not mailed$/)
  expect(dateLine(failed)).toMatch(/the mail did not go out$/)
  expect(deliveryLine(failed)).toContain('pass the link on yourself')
  expect(dateLine({ ...mailed, acceptedAt: '2026-11-03T10:00:00.000Z' })).toMatch(/^Joined .*Nov 3/)
})

test('an invitation is named by the username, else by the address', () => {
  expect(nameOf(invitation)).toBe('bob')
  expect(nameOf({ ...invitation, inviteeUsername: null })).toBe('bob@example.org')
})
