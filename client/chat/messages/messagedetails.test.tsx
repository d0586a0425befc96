// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Env } from '../../env.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import type { Signer } from '../../worker/crypto.ts'
import { MessageDetails } from './MessageDetails.tsx'
import { messagesStore, type RoomView, type ShownMessage } from './store.ts'

openScreen()

const OTHER = '77777777-7777-4777-8777-777777777777'
const [LAPTOP, PHONE] = ['55555555-5555-4555-8555-555555555555', '66666666-6666-4666-8666-666666666666']
let asked: { userId: string; deviceId: string }[]
let signer: Signer | 'removed' | 'unknown'

beforeEach(() => {
  asked = []
  signer = 'unknown'
  resetPeople()
  messagesStore.setState(messagesStore.getInitialState())
  putPeople([shownBob])
})

const mine: ShownMessage = {
  ...{ id: '44444444-4444-4444-8444-444444444444', seq: 7, senderId: ALICE_ID, isMine: true, status: 'delivered', reason: null },
  ...{ at: '2026-11-27T10:00:00.000Z', isOutOfPlace: false, body: { kind: 'text', text: 'At nine' } },
}

function details(message: Partial<ShownMessage>) {
  const crypto = {
    signerOf: async (name: { userId: string; deviceId: string }) => {
      asked.push(name)
      return signer
    },
  } as unknown as Env['crypto']
  show(<MessageDetails room={shownRoom} message={{ ...mine, ...message }} onClose={() => undefined} />, makeAnswers(), { crypto })
}

/** Says what stands beside each name. */
const rows = () =>
  [...document.querySelectorAll('.message-details > div')].map(({ children }) => [...children].map((one) => one.textContent))
const signs = async (words: string) => await waitFor(() => expect(rows()).toContainEqual(['Signed by', words]))

test('The details name the own browser that signed a message, and the way on which it left', async () => {
  signer = { isThis: true, name: 'Laptop, study', key: '7f2c 90ab' }
  details({ deviceId: LAPTOP, route: 'onion' })
  await signs('This browser 7f2c 90ab')
  expect(rows()).toContainEqual(['Route from this browser', 'Via Tor'])
  expect(asked).toEqual([{ userId: ALICE_ID, deviceId: LAPTOP }])
})

test('Another own browser stands by its name, and the way is that to this one', async () => {
  signer = { isThis: false, name: 'Phone', key: '11aa 22bb' }
  details({ deviceId: PHONE, route: 'direct' })
  await signs('Phone 11aa 22bb')
  expect(rows()).toContainEqual(['Route to this browser', 'Not via Tor'])
})

test('A browser of somebody else has no name here, and one that is gone is said to be gone', async () => {
  const theirs = { isMine: false, senderId: BOB_ID, status: null, deviceId: PHONE } as const
  signer = { isThis: false, key: '11aa 22bb' }
  details(theirs)
  await signs('A browser of Bob Baker 11aa 22bb')
  signer = 'removed'
  details({ ...theirs, deviceId: LAPTOP })
  await signs('A browser that Bob Baker has removed since')
  signer = 'unknown'
  details({ ...theirs, deviceId: OTHER })
  await signs('A browser that is not in Bob Baker’s list here')
})

test('What is heard of a message while its details are open stands there too', async () => {
  details({ status: 'sent' })
  await screen.findByRole('dialog', { name: 'Message details' })
  expect(rows()).toContainEqual(['Read', 'Nothing heard yet'])
  const open = { chatRoomId: shownRoom.id, messages: [{ ...mine, status: 'read' }], status: 'ready' } as unknown as RoomView
  act(() => messagesStore.setState({ open }))
  expect(rows()).toContainEqual(['Read', 'Yes'])
})

test('A message of before, of which neither was kept, has no such rows', async () => {
  details({})
  await screen.findByRole('dialog', { name: 'Message details' })
  expect(rows().map(([name]) => name)).toEqual(['Sent', 'Delivered', 'Read'])
  expect(asked).toEqual([])
})
