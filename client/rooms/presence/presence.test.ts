import { expect, test } from 'vitest'
import { FRIENDS } from '../../testing/direct.ts'
import { ALL_SHOWN } from '../../testing/privacy.ts'
import type { RoomRow } from '../list/roomList.ts'
import type { Person } from '../trust/people.ts'
import { presenceOf } from './presence.ts'

const now = new Date('2026-11-22T12:00:00.000Z')
const LAST_SEEN = '2026-11-22T09:00:00.000Z'
const away = { isDeleted: false, isOnline: false, lastSeen: LAST_SEEN } as Person
const online = { ...away, isOnline: true }
const room = { direct: FRIENDS, isClosed: false } as RoomRow
const known = { room, person: away, isConnected: true, shown: ALL_SHOWN, now }
const hiding = (...hidden: string[]) => ({ ...ALL_SHOWN, ...Object.fromEntries(hidden.map((name) => [name, false])) })

test('The dot and the words say the same: online, or when somebody was last seen', () => {
  expect(presenceOf({ ...known, person: online })).toEqual({ isOnline: true, words: 'Online' })
  expect(presenceOf(known)).toEqual({ isOnline: false, words: 'Last seen 3h ago' })
  // Whoever hides it looks like somebody who was never here.
  expect(presenceOf({ ...known, person: { ...away, lastSeen: null } })).toEqual({ isOnline: false, words: 'Last seen never' })
})

test('Nothing is said without a connection, of a request that is not answered, of a deleted account, or of whom one blocks', () => {
  expect(presenceOf({ ...known, person: online, isConnected: false })).toBeUndefined()
  expect(presenceOf({ ...known, room: { ...room, direct: { ...FRIENDS, hasAnswered: false } } })).toBeUndefined()
  expect(presenceOf({ ...known, room: { ...room, direct: { ...FRIENDS, isBlocked: true } } })).toBeUndefined()
  expect(presenceOf({ ...known, person: { ...away, isDeleted: true } })).toBeUndefined()
})

test('Of what the own account hides nothing is said, also while a row of before is shown', () => {
  const shows = (person: Person, ...hidden: string[]) => presenceOf({ ...known, person, shown: hiding(...hidden) })
  expect(shows(online, 'presence')).toEqual({ isOnline: null, words: 'Last seen 3h ago' })
  expect(shows(online, 'lastSeen')).toEqual({ isOnline: true, words: 'Online' })
  expect(shows(away, 'lastSeen')).toEqual({ isOnline: false, words: 'Offline' })
  expect(shows(online, 'presence', 'lastSeen')).toBeUndefined()
})
