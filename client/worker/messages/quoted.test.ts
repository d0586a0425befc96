import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectionStore } from '../../net/status.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { StoredMessage } from '../crypto.ts'

let alice: TestPerson
let bob: TestPerson

beforeEach(async () => {
  ;({ alice, bob } = await people())
})
afterEach(() => connectionStore.setState(connectionStore.getInitialState()))

const comesBy = (ingress: 'onion' | 'direct' | null) => connectionStore.setState({ ingress })

async function newest(me: TestPerson, other: TestPerson): Promise<StoredMessage> {
  return (await me.reads(other)).at(-1) ?? expect.fail('Nothing is there')
}

const signerAt = async (me: TestPerson, { senderId: userId, deviceId = '' }: StoredMessage) =>
  await me.core.signerOf({ userId, deviceId })

test('A message names the browser that signed it, to each side', async () => {
  await alice.says(bob, 'the harbour at nine')
  const [mine, theirs] = [await newest(alice, bob), await newest(bob, alice)]
  expect([mine.deviceId, theirs.deviceId]).toEqual([alice.deviceId, alice.deviceId])
  const own = await signerAt(alice, mine)
  expect(own).toEqual({ isThis: true, name: 'Firefox on Linux', key: expect.stringMatching(/^[0-9a-f]{4} [0-9a-f]{4}$/) })
  // Its name is sealed to others.
  expect(await signerAt(bob, theirs)).toEqual({ ...Object(own), isThis: false, name: undefined })
})

test('Another own browser is named too, also in an older page, until it is removed', async () => {
  await alice.says(bob, 'from the first')
  const tablet = await alice.newComputer()
  await tablet.reads(bob)
  await tablet.older(bob)
  const [older] = (await tablet.core.page({ chatRoomId: alice.room(bob).id, limit: 9 })).messages
  if (!older) throw new Error('The older page is missing')
  expect(older).toMatchObject({ isOlder: true, deviceId: alice.deviceId })
  expect(await signerAt(tablet, older)).toMatchObject({ isThis: false, name: 'Firefox on Linux' })
  await tablet.says(bob, 'from the second')
  expect(await signerAt(bob, await newest(bob, alice))).toMatchObject({ isThis: false })
  expect(await tablet.core.signerOf({ userId: alice.userId, deviceId: bob.deviceId })).toBe('unknown')
})

test('A message keeps the way on which it came to this browser', async () => {
  comesBy('onion')
  await alice.says(bob, 'by onion')
  comesBy('direct')
  await bob.reads(alice)
  const tablet = await alice.newComputer()
  await tablet.reads(bob)
  await tablet.older(bob)
  const [older] = (await tablet.core.page({ chatRoomId: alice.room(bob).id, limit: 9 })).messages
  expect([(await newest(alice, bob)).route, (await newest(bob, alice)).route, older?.route]).toEqual([
    'onion',
    'direct',
    'direct',
  ])
  comesBy(null)
  await bob.says(alice, 'before the server has said')
  expect(await newest(alice, bob)).not.toHaveProperty('route')
})
