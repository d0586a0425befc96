import { expect, test } from 'vitest'
import type { Invitation } from '../../../contract/account/family.ts'
import { dateLine, deliveryLine, joinsWords, nameOf } from './familyWords.ts'

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

test('whoever has passed ten places on reads when the next one can be invited, counted with those who are invited', () => {
  const joined = (day: number) => ({ ...invitation, status: 'accepted' as const, acceptedAt: `2026-11-0${day}T10:00:00.000Z` })
  const [now, nine] = [new Date('2026-11-20T10:00:00.000Z'), [9, 8, 7, 6, 5, 4, 3, 2, 1].map(joined)]
  expect(joinsWords(nine, now)).toBeUndefined()
  expect(joinsWords([invitation, ...nine], now)).toMatch(/^Ten people have joined .* from .*Dec 1.* on$/)
  expect(joinsWords([invitation, invitation, ...nine.slice(0, -1)], now)).toMatch(/from .*Dec 2.* on$/)
  expect(joinsWords([invitation, ...nine], new Date('2026-12-01T10:00:01.000Z'))).toBeUndefined()
})

test('an invitation is named by the username, else by the address', () => {
  expect(nameOf(invitation)).toBe('bob')
  expect(nameOf({ ...invitation, inviteeUsername: null })).toBe('bob@example.org')
})
