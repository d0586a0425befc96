// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { accountStore } from '../../me/account/accountState.ts'
import { type RoomRow, resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { BOB_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import { ForwardDialog } from './ForwardDialog.tsx'
import type { ShownMessage } from './store.ts'

openScreen()

const NAMES = ['Bob', 'Carol', 'Dora', 'Erin', 'Frank', 'Grace']
const personIdOf = (at: number) => `${BOB_ID.slice(0, -1)}${at}`
const message: ShownMessage = {
  ...{ id: '33333333-3333-4333-8333-333333333333', seq: 1, senderId: BOB_ID, at: '2026-11-28T10:00:00.000Z', isMine: false },
  ...{ status: null, reason: null, isOutOfPlace: false, body: { kind: 'text', text: 'Keep the line open' } },
}

beforeEach(() => {
  resetRooms()
  resetPeople()
  putPeople(NAMES.map((name, at) => ({ ...shownBob, id: personIdOf(at), username: name.toLowerCase(), displayName: name })))
  const rooms = NAMES.map((_, at): RoomRow => {
    const peers = shownRoom.peers.map((peer) => ({ ...peer, id: personIdOf(at) }))
    return { ...shownRoom, id: `room ${at}`, memberIds: [shownRoom.ownId, personIdOf(at)], peers }
  })
  roomsStore.setState({ rooms: new Map(rooms.map((room) => [room.id, room])) })
})

const planned = (subscriptionTier: 'free' | 'premium') =>
  accountStore.setState({
    user: { subscriptionTier } as unknown as NonNullable<ReturnType<typeof accountStore.getState>['user']>,
  })

test('At most five chats are chosen, found by their letters beside what is chosen; what is forwarded stands below', async () => {
  planned('premium')
  const { person } = show(<ForwardDialog messages={[message]} onUpgrade={vi.fn()} onClose={vi.fn()} />, makeAnswers())
  screen.getByText('Keep the line open')
  const checkboxOf = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })
  for (const name of NAMES.slice(0, 5)) await person.click(checkboxOf(name))
  screen.getByText('To at most 5 chats at once')
  screen.getByRole('button', { name: 'Send to 5' })
  expect([checkboxOf('Grace').disabled, checkboxOf('Note to self').disabled, checkboxOf('Bob').disabled]).toEqual([
    true,
    true,
    false,
  ])
  await person.click(checkboxOf('Bob'))
  expect(checkboxOf('Grace').disabled).toBe(false)
  await person.type(screen.getByLabelText('Search contacts'), 'gra')
  expect(screen.getAllByRole('checkbox').map((one) => one.closest('label')?.textContent)).toEqual([
    ...['CCarol', 'DDora', 'EErin', 'FFrank'],
    'GGrace',
  ])
  await person.type(screen.getByLabelText('Search contacts'), 'xyz')
  expect(screen.getAllByRole('checkbox')).toHaveLength(4)
  screen.getByText('Nobody found')
})

test('Without a plan a text goes to the own notes alone: anybody else is an offer of the plans, and nothing is kept', async () => {
  planned('free')
  const onUpgrade = vi.fn()
  const { person } = show(<ForwardDialog messages={[message]} onUpgrade={onUpgrade} onClose={vi.fn()} />, makeAnswers(), {
    crypto: {} as never,
  })
  await person.click(screen.getByRole('checkbox', { name: 'Bob' }))
  await person.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(onUpgrade).toHaveBeenCalledOnce())
})

test('A chat that was locked while it was chosen gets nothing, which is said; what was chosen else can be chosen again', async () => {
  planned('premium')
  const onClose = vi.fn()
  const { person } = show(<ForwardDialog messages={[message]} onUpgrade={vi.fn()} onClose={onClose} />, makeAnswers(), {
    crypto: {} as never,
  })
  await person.click(screen.getByRole('checkbox', { name: 'Bob' }))
  const { rooms } = roomsStore.getState()
  const locked = { ...(rooms.get('room 0') ?? expect.fail()), lock: 'shut' as const }
  act(() => roomsStore.setState({ rooms: new Map([...rooms, [locked.id, locked]]) }))
  await person.click(screen.getByRole('button', { name: 'Send' }))
  expect((await screen.findByRole('alert')).textContent).toBe('Nothing can be written to Bob now.')
  expect(onClose).not.toHaveBeenCalled()
})
