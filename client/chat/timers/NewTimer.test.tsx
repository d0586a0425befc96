// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { syncBook } from '../../rooms/trust/book.ts'
import { people } from '../../testing/room.ts'
import { openScreen, show } from '../../testing/screen.tsx'
import { NewTimer } from './NewTimer.tsx'

openScreen()

test('Alice chooses a timer for new chats: another browser of hers has it, her first message ends, and Bob answers with it', async () => {
  const { alice, bob } = await people()
  await syncBook(alice.env)
  show(<NewTimer />, alice.env, alice.env)
  const choice = await screen.findByRole('combobox', { name: 'Disappearing messages' })
  expect(choice).toHaveProperty('value', '0')
  fireEvent.change(choice, { target: { value: '86400' } })
  await expect.poll(() => alice.core.readNewTimer()).toBe(86_400)
  await expect.poll(() => choice.hasAttribute('disabled')).toBe(false)
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  expect(await laptop.core.readNewTimer()).toBe(86_400)

  await laptop.says(bob, 'hello')
  await bob.says(laptop, 'hello Alice')
  const [first, second] = await laptop.reads(bob)
  expect([first?.lifetime, second?.lifetime]).toEqual([86_400, 86_400])
  expect((await laptop.core.page({ chatRoomId: laptop.room(bob).id, limit: 1 })).timer).toBe(86_400)
})

test('A chat that has begun keeps what it has', async () => {
  const { alice, bob } = await people()
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  await alice.core.setNewTimer(3600)
  await alice.says(bob, 'hello Bob')
  expect((await alice.reads(bob)).map(({ lifetime }) => lifetime)).toEqual([undefined, undefined])
})
