// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { resetDevices } from '../../me/devices/deviceList.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { isDirect } from '../../rooms/list/room.ts'
import { resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { followLocks } from '../../rooms/list/roomLocks.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { personById } from '../../rooms/trust/people.ts'
import { passwordOf, signPageIn } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { openScreen, show } from '../../testing/screen.tsx'
import { writesBook } from '../../testing/stolenBook.ts'
import { LockedChat } from './LockedChat.tsx'
import { OpenClaimed } from './OpenClaimed.tsx'

openScreen()

test('A chat that another browser has locked says so, opens with the account’s password, and the browser that did it can be removed at once', async () => {
  const { alice, bob, wire } = await people()
  await alice.says(bob, 'apples')
  await syncBook(alice.env)
  const thief = await alice.newComputer()
  await syncBook(thief.env)
  const { id } = alice.room(bob)
  const lock = { n: 1, kind: 'on', data: [Buffer.alloc(32).toString('base64'), '', ''], gone: 0 }
  await writesBook(wire, thief, bob, (book) => ({ ...book, locks: { [id]: lock } }))
  resetRooms()
  resetDevices()
  await signPageIn(alice)
  await syncBook(alice.env)
  await followLocks(alice.env)
  await refreshRooms(alice.env)
  const [room, other] = [roomById(id), personById(bob.userId)]
  if (!room || !isDirect(room) || !other) throw new Error('Bob is not on the list')

  const asked: string[] = []
  const { person, again } = show(<LockedChat room={room} onAsk={(act) => asked.push(act)} />, alice.env, alice.env)
  await screen.findByText('Another of your browsers locked this chat')
  expect(screen.queryByRole('button', { name: 'Forgotten?' })).toBeNull()
  await person.click(await screen.findByRole('button', { name: 'Open with your account' }))
  expect(asked).toEqual(['open_claimed'])

  again(<OpenClaimed room={room} person={other} onClose={() => asked.push('closed')} />)
  const field = async (name: string) =>
    within(await screen.findByRole('dialog', { name })).findByLabelText('Password', { selector: 'input:not([type=radio])' })
  await person.type(await field(`Open the chat with ${other.displayName}?`), `${passwordOf(alice.username)}{Enter}`)
  const question = within(await screen.findByRole('dialog', { name: 'Do you know this browser?' }))
  await question.findByText(/Another browser/)
  expect(roomById(id)?.lock).toBe('none')
  await person.click(await question.findByRole('button', { name: 'Remove it' }))
  expect((await screen.findByRole<HTMLInputElement>('checkbox', { name: /lost or stolen/ })).checked).toBe(true)
  await person.type(await field('Remove Another browser?'), `${passwordOf(alice.username)}{Enter}`)
  await expect.poll(() => asked.at(-1)).toBe('closed')
  expect(wire.accounts.get(alice.userId)?.keys.manifest.content).toContain(`"removed":["${thief.deviceId}"]`)
})
